import { useSearchParams } from 'wouter'
import { CommandLine } from '../ui/EmptyState.tsx'
import { Logo } from '../ui/Logo.tsx'

/** What a browser sees that is not signed in. It goes on by itself once it is. */
export function SignedOut() {
  const [search] = useSearchParams()
  const why =
    search.get('link') === 'void'
      ? 'This link was used already, or its minute is over. This command opens a new one:'
      : 'This browser is not signed in. This command, on the machine of the service, signs it in:'
  return (
    <main className="flex h-full flex-col items-center justify-center gap-4 p-4 text-center">
      <Logo className="size-10" />
      <h1 className="text-title font-semibold">Drydock</h1>
      <p className="max-w-md text-ink-2">{why}</p>
      <CommandLine command="drydock open" />
      <p className="max-w-md text-small text-ink-2">
        In a clone it is <code className="font-mono">npx drydock open</code>;{' '}
        <code className="font-mono">npm start</code> prints a link too.
      </p>
    </main>
  )
}
