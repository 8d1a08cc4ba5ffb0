import { type MachineCreate, machineCreate } from '../../../src-main/contract/machines.ts'

export const WAYS = ['SSH', 'Docker context', 'TCP'] as const

export type MachineDraft = {
  readonly way: (typeof WAYS)[number]
  readonly swarm: boolean
  readonly texts: Readonly<Record<'name' | 'to' | 'port' | 'context' | 'url' | 'tlsFolder', string>>
}

export const NO_DRAFT: MachineDraft = {
  way: 'SSH',
  swarm: false,
  texts: { name: '', to: '', port: '', context: '', url: '', tlsFolder: '' },
}

export type DraftProblems = Readonly<Partial<Record<keyof MachineDraft['texts'], string>>>

const FIELDS: Readonly<Record<string, keyof MachineDraft['texts']>> = {
  to: 'to',
  port: 'port',
  url: 'url',
  tlsFolder: 'tlsFolder',
}

export function readMachineDraft(
  draft: MachineDraft,
): { readonly machine: MachineCreate } | { readonly problems: DraftProblems } {
  const { success, data, error } = machineCreate.safeParse({
    name: draft.texts.name.trim(),
    way: wayOf(draft),
    swarm: draft.swarm,
  })
  if (success) return { machine: data }
  const problems = error.issues.map(({ path, message }) => [fieldOf(path), message] as const)
  return { problems: Object.fromEntries(problems.toReversed()) }
}

function wayOf({ way, texts }: MachineDraft) {
  const [to, port, context, url, tlsFolder] = [texts.to, texts.port, texts.context, texts.url, texts.tlsFolder].map(
    (text) => text.trim(),
  )
  if (way === 'SSH') return { kind: 'ssh', to, ...(port === '' ? {} : { port: Number(port) }) }
  if (way === 'Docker context') return { kind: 'context', name: context }
  return { kind: 'tcp', url, ...(tlsFolder === '' ? {} : { tlsFolder }) }
}

function fieldOf(path: readonly PropertyKey[]): keyof MachineDraft['texts'] {
  const last = String(path.at(-1))
  if (last === 'name') return path.length > 1 ? 'context' : 'name'
  return FIELDS[last] ?? 'name'
}
