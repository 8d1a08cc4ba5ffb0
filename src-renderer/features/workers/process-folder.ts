import type { LiveEndpoint } from '../../../src-main/contract/live.ts'

/** The folder in which workers of an endpoint run as processes; undefined: that of the service. */
export function processFolder({ cwd, handler }: Pick<LiveEndpoint, 'cwd' | 'handler'>): string | undefined {
  return cwd ?? handler?.replace(/[\\/][^\\/]*$/, '')
}
