import { type QueryKey, queryOptions } from '@tanstack/react-query'
import type { CallArguments, Operation, ResponseOf } from '../../src-main/app/client/calls.ts'

type Client = { readonly call: <Name extends Operation>(operation: Name, args?: never) => Promise<ResponseOf<Name>> }

/** A query whose answer is the response of one call. */
export const read = <Name extends Operation>(
  client: Client,
  queryKey: QueryKey,
  operation: Name,
  args?: Omit<CallArguments<Name>, 'signal'>,
) => queryOptions({ queryKey, queryFn: ({ signal }) => client.call(operation, { ...args, signal } as never) })
