import { useState } from 'react'
import { useSearchParams } from 'wouter'
import { useApp } from '../store/app-context.ts'
import { Button } from '../ui/Button.tsx'
import { CommandLine } from '../ui/PageStates.tsx'
import { Logo } from './Sidebar.tsx'

/**
 * What a browser sees that is not signed in. It goes on by itself once it is. The desktop has the key, and signs in.
 */
export function SignedOut() {
  const { desktop } = useApp().platform
  return (
    <main className="flex h-full flex-col items-center justify-center gap-4 p-4 text-center">
      <Logo className="size-10" />
      <h1 className="text-title font-semibold">Drydock</h1>
      {desktop === undefined ? <HowToSignIn /> : <SignInAgain signIn={() => desktop.signIn(undefined)} />}
    </main>
  )
}

function SignInAgain({ signIn }: { readonly signIn: () => Promise<boolean> }) {
  const [why, setWhy] = useState<string>()
  const press = () =>
    signIn().then(
      (isUp) => setWhy(isUp ? undefined : 'The service is not running; it is being started.'),
      (error: Error) => setWhy(error.message),
    )
  return (
    <>
      <p className="max-w-md text-ink-2">The session of this window has ended because the account key was changed.</p>
      <Button kind="main" onClick={press}>
        Sign in again
      </Button>
      <p role="alert" className="max-w-md text-failed-ink">
        {why}
      </p>
    </>
  )
}

function HowToSignIn() {
  const [search] = useSearchParams()
  const why =
    search.get('link') === 'void'
      ? 'This link was already used, or has expired. To get a new one, run:'
      : 'This browser is not signed in. To sign in, run this on the machine of the service:'
  return (
    <>
      <p className="max-w-md text-ink-2">{why}</p>
      <CommandLine command="drydock open" />
      <p className="max-w-md text-small text-ink-2">
        In a clone, run <code className="font-mono">npx drydock open</code>;{' '}
        <code className="font-mono">npm start</code> also prints a link.
      </p>
    </>
  )
}
