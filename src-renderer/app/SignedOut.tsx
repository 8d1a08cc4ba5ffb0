import { useState } from 'react'
import { useSearchParams } from 'wouter'
import { useApp } from '../store/app-context.ts'
import { Button } from '../ui/Button.tsx'
import { CommandLine } from '../ui/PageStates.tsx'
import { Logo } from './Sidebar.tsx'

/** For browsers that are not signed in; continues once they are. The desktop signs in by itself. */
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

const NOT_SIGNED_IN = 'This browser is not signed in. To sign in, run this on the machine of the service:'

const WHY_NOT: Readonly<Record<string, string>> = {
  void: 'This link was already used, or has expired. To get a new one, run:',
  'other-user': 'This link works only for the user of the machine who created it. To get one of your own, run:',
}

function HowToSignIn() {
  const [search] = useSearchParams()
  const why = WHY_NOT[search.get('link') ?? ''] ?? NOT_SIGNED_IN
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
