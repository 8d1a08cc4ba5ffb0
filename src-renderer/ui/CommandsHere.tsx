import { useEffect } from 'react'
import { useApp } from '../store/app-context.ts'
import type { Command } from '../store/commands-slice.ts'

/** Offers commands in the palette while it is shown. Keep the list the same between two drawings where it is. */
export function CommandsHere({ commands }: { readonly commands: readonly Command[] }) {
  const { store } = useApp()
  useEffect(() => store.getState().offer(commands), [store, commands])
  return null
}
