import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { z } from 'zod'
import type { Operation } from '../../../src-main/client/calls.ts'
import { useApp } from '../../store/app-context.ts'

/** Something that is asked for once, and followed while it goes on. */
export type Followed<Item> = {
  readonly operation: Operation
  readonly path: Readonly<Record<string, string>>
  /** Type of the events that carry it, each the whole. */
  readonly event: string
  readonly schema: z.ZodType<Item>
  /** Where the query keeps it. Keep it, and all of the above, the same between two drawings. */
  readonly queryKey: QueryKey
  /** Whether nothing comes after this one. */
  readonly isLast: (item: Item) => boolean
  /** Is notified of each of them, beside the query. */
  readonly onItem?: (item: Item) => void
}

/** Keeps what a query answered up to date while it goes on. @param what undefined: nothing goes on */
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
