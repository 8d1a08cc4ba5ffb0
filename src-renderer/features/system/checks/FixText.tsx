import { CopyButton } from '../../../ui/CopyButton.tsx'
import { useAsCalled } from '../../../ui/Typed.tsx'

/** What to do, as a sentence; what stands in it between backticks is a command that can be copied. */
export function FixText({ text }: { readonly text: string }) {
  const parts = useAsCalled()(text).split('`')
  return (
    <p className="text-small leading-6 text-ink-2">
      {parts.map((part, at) =>
        // Every other part stands between two backticks.
        at % 2 === 0 ? (
          part
        ) : (
          <span
            // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence keep their places
            key={at}
            className="inline-flex max-w-full items-center rounded-control border border-line bg-surface-0 pl-1.5 align-middle"
          >
            <code className="truncate font-mono text-ink">{part}</code>
            <span className="-my-1 scale-75">
              <CopyButton text={part} what="command" />
            </span>
          </span>
        ),
      )}
    </p>
  )
}
