import { useQuery } from '@tanstack/react-query'
import { isEnough, type Role } from '../../src-main/contract/roles.ts'
import { read } from '../browser/read.ts'
import { type AppServices, useApp } from '../store/app-context.ts'

export const infoQuery = (client: AppServices['client']) => read(client, ['info'], 'info')

/**
 * Why the signed-in user may not press a button; the service enforces it.
 * @param needed role of the route
 * @param what like `Add and remove machines`
 * @returns undefined: allowed, or the role is not known yet
 */
export function useWhyNot(needed: Role, what: string): string | undefined {
  const { client } = useApp()
  const { data } = useQuery(infoQuery(client))
  if (data?.role === undefined || isEnough(data.role, needed)) return undefined
  return `${what} needs a key with the role ${needed}, and you are signed in with the role ${data.role}.`
}
