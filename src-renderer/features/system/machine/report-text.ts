import type { MachineView } from '../../../../src-main/contract/system.ts'

/** What a report is made of. */
export type ReportParts = {
  readonly versions: readonly { readonly name: string; readonly version?: string | undefined }[]
  readonly machine: MachineView | undefined
}

/**
 * A report for somebody who helps: versions and what the machine has. No keys, no paths, no addresses, no names of
 * endpoints: it may stand in public.
 */
export function reportText({ versions, machine }: ReportParts): string {
  const cards = machine?.gpus.map(({ name, driver }) => `${name} (driver ${driver})`) ?? []
  return [
    ...versions.map(({ name, version }) => `${name}: ${version ?? 'not there'}`),
    `Docker: ${machine?.engine.state ?? 'unknown'}`,
    `Graphics cards: ${cards.length === 0 ? 'none' : cards.join(', ')}`,
    `Workers: ${machine?.workers.used ?? 0} of ${machine?.workers.limit ?? 0}`,
    '',
  ].join('\n')
}
