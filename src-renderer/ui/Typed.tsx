import { useCallback } from 'react'
import { asCalledBy } from '../../src-main/domain/called-as.ts'
import { useAppState } from '../store/app-context.ts'

/** Writes commands in a text as the service was started: `npx drydock` for `drydock`, where that is how it was called. */
export function useAsCalled(): (text: string) => string {
  const command = useAppState(({ live }) => live.command)
  return useCallback((text: string) => asCalledBy(text, command), [command])
}

/** A command within a sentence. @param command like `drydock open` */
export function Typed({ command }: { readonly command: string }) {
  const asCalled = useAsCalled()
  return <code className="font-mono text-small">{asCalled(command)}</code>
}
