import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { z } from 'zod'
import type { Operation } from '../../../src-main/app/client/calls.ts'
import { useApp } from '../../store/app-context.ts'

export type Followed<Item> = {
  readonly operation: Operation
  readonly path: Readonly<Record<string, string>>
  readonly event: string
  readonly schema: z.ZodType<Item>
  /** Where it is cached. Keep all fields stable between renders. */
  readonly queryKey: QueryKey
  readonly isLast: (item: Item) => boolean
  readonly onItem?: (item: Item) => void
}

export function useFollowed<Item>(what: Followed<Item> | undefined): void {
  const { client } = useApp()
  const queries = useQueryClient()
  useEffect(() => {
    if (what === undefined) return
    const { queryKey, onItem, ...followed } = what
    return client.follow<Item>({
      ...followed,
      onItems(items) {
        for (const item of items) onItem?.(item)
        queries.setQueryData(queryKey, items.at(-1))
      },
    })
  }, [client, queries, what])
}
