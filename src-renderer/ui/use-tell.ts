import { useMemo } from 'react'
import { useApp } from '../store/app-context.ts'
import type { AppStore } from '../store/app-store.ts'

export function useTell() {
  const { store } = useApp()
  return useMemo(() => tellIn(store), [store])
}

export function tellIn(store: AppStore) {
  const { notify } = store.getState()
  const done = (text: string) => void notify({ kind: 'done', text })
  const failed = (error: unknown) => void notify({ kind: 'error', text: (error as Error).message })

  /**
   * Tells the result of an action, or why it was refused.
   * @param text of the result; undefined: the action tells it itself
   * @returns whether it succeeded
   */
  async function attempt<Result>(
    work: () => Promise<Result>,
    text?: string | ((result: Result) => string),
    rollBack?: () => void,
  ): Promise<boolean> {
    try {
      const result = await work()
      if (text !== undefined) done(typeof text === 'string' ? text : text(result))
      return true
    } catch (error) {
      rollBack?.()
      failed(error)
      return false
    }
  }

  return { done, failed, attempt }
}
