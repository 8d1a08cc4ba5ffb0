import type { MissingPart } from '../../../src-main/contract/catalog.ts'
import { Button } from '../../ui/Button.tsx'
import { useAsCalled } from '../../ui/Typed.tsx'

/** What this machine lacks. */
export type MissingPartsProps = { readonly missing: readonly MissingPart[]; readonly onLookAgain: () => void }

/** What is missing and how to get it, with a way to look again once it is there. */
export function MissingParts({ missing, onLookAgain }: MissingPartsProps) {
  const asCalled = useAsCalled()
  return (
    <section aria-label="What is missing" className="rounded-control bg-warn-soft px-3 py-2 text-warn-ink">
      <p className="font-medium">This machine cannot run it yet</p>
      <ul className="mt-1 flex flex-col gap-2">
        {missing.map(({ what, fix }) => (
          <li key={what} className="break-words">
            {what.charAt(0).toUpperCase()}
            {what.slice(1)}. {asCalled(fix)}
          </li>
        ))}
      </ul>
      <Button className="mt-2" onClick={onLookAgain}>
        Look again
      </Button>
    </section>
  )
}
