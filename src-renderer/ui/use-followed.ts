import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { z } from 'zod'
import type { Operation } from '../../src-main/app/client/calls.ts'
import { useApp } from '../store/app-context.ts'

export type Followed<Item> = {
  readonly operation: Operation
  readonly path: Readonly<Record<string, string>>
  readonly event: string
  readonly schema: z.ZodType<Item>
  readonly queryKey: QueryKey
  readonly isLast: (item: Item) => boolean
  readonly onItem?: (item: Item) => void
}

export function useFollowed<Item>(isOn: boolean, what: Followed<Item>): void {
  const { client } = useApp()
  const queries = useQueryClient()
  const latest = useRef(what)
  useEffect(() => {
    latest.current = what
  })
  const key = JSON.stringify(what.queryKey)
  useEffect(() => {
    if (!isOn) return
    const { queryKey: _same, onItem: _latest, ...followed } = latest.current
    return client.follow<Item>({
      ...followed,
      onItems(items) {
        for (const item of items) latest.current.onItem?.(item)
        queries.setQueryData(JSON.parse(key) as QueryKey, items.at(-1))
      },
    })
  }, [client, queries, isOn, key])
}
