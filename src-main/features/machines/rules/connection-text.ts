import type { MachineConnection } from '../../../contract/machines.ts'

export function connectionText(way: MachineConnection): string {
  if (way.kind === 'ssh') return `ssh ${way.to}${way.port === undefined ? '' : `:${way.port}`}`
  return way.kind === 'context' ? `context ${way.name}` : way.url
}
