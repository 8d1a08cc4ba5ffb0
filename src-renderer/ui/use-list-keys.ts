import { type RefObject, useEffect, useRef } from 'react'
import { useApp } from '../store/app-context.ts'
import type { ListAct, ShownList } from '../store/list-keys.ts'

export function useListKeys(
  label: string,
  element: RefObject<HTMLElement | null>,
  acts: { readonly [Act in ListAct]?: ShownList['acts'][Act] | undefined },
): void {
  const { store } = useApp()
  const latest = useRef(acts)
  useEffect(() => {
    latest.current = acts
  })
  const names = (Object.keys(acts) as ListAct[]).filter((act) => acts[act] !== undefined).join(' ')
  useEffect(() => {
    const offered = names.split(' ') as ListAct[]
    const entries = offered.map(
      (act) => [act, (key: string, shift: boolean) => latest.current[act]?.(key, shift) === true] as const,
    )
    return store.getState().showList({ label, element: () => element.current, acts: Object.fromEntries(entries) })
  }, [store, label, element, names])
}
