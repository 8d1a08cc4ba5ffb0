import type { DoctorRow } from '../../contract/system.ts'
import type { TestWatch } from '../../features/machines/ports.ts'
import { counted } from '../../lib/text.ts'
import type { Engine } from '../docker/engine.ts'
import { answers, refuseNoManager, type Swarm } from './swarm.ts'
import { READY, type SwarmNode, whyAway } from './swarm-nodes.ts'
import { CARD_LABEL, HOW_TO_CONFIGURE } from './swarm-room.ts'

const NVIDIA = 'nvidia'

export async function testSwarm(
  { engine, swarm }: { readonly engine: Engine; readonly swarm: Swarm },
  { report, signal }: TestWatch,
): Promise<void> {
  let networks: Awaited<ReturnType<Swarm['ensure']>>
  try {
    const connected = await engine.findEngine()
    report({ check: 'Docker engine', state: 'ok', found: connected.facts.version })
    refuseNoManager(connected)
    networks = await swarm.ensure(connected)
    await swarm.settle()
  } catch (error) {
    const fix = 'Make its engine the manager of a swarm, and let this user use it.'
    report({ check: 'Swarm', state: 'failed', found: (error as Error).message, fix })
    return
  }
  signal.throwIfAborted()
  const nodes = swarm.nodes.all()
  const silent = nodes.filter((node) => node.state === READY && !answers(node))
  const others = nodes.filter(({ state }) => state !== READY)
  const states = [
    ...others.map((node) => whyAway(node) ?? `${node.name} is ${node.state}`),
    ...silent.map(
      (node) => `the engine of ${node.name} cannot be reached: ${node.engine.problem() ?? 'no agent runs there'}`,
    ),
  ]
  report(
    states.length === 0
      ? { check: 'Nodes', state: 'ok', found: `${counted(nodes.length, 'node')}, all ready` }
      : {
          check: 'Nodes',
          state: silent.length + others.length === nodes.length ? 'failed' : 'warning',
          found: states.join('; '),
          fix: 'Between nodes ports 2377 and 7946 (TCP), 7946 and 4789 (UDP) and protocol 50 (ESP) must be open.',
        },
  )
  report(
    networks.isEncrypted
      ? { check: 'Network of workers', state: 'ok', found: 'encrypted' }
      : {
          check: 'Network of workers',
          state: 'warning',
          found: 'not encrypted: nothing came through an encrypted one',
          fix: 'Let protocol 50 (ESP) through between the nodes, whose kernels must know it, then remove the machine and add it again. Until then anyone who can listen between them can read the data of workers.',
        },
  )
  report(await cardsStep(nodes))
}

async function cardsStep(nodes: readonly SwarmNode[]): Promise<DoctorRow> {
  const check = 'GPUs'
  const having = nodes.filter(({ cards }) => cards.length > 0)
  if (having.length === 0) return { check, state: 'warning', found: 'no node offers GPUs', fix: `${HOW_TO_CONFIGURE}.` }
  const runtimes = await Promise.all(
    having.map(async (node) => (answers(node) ? (await node.engine.connect()).facts.info.DefaultRuntime : undefined)),
  )
  const found = having.map((node) => nodeCardsText(node)).join('; ')
  const wrong = having.filter((_, at) => runtimes[at] !== undefined && runtimes[at] !== NVIDIA)
  if (wrong.length === 0) return { check, state: 'ok', found }
  const names = wrong.map(({ name }) => name).join(', ')
  return {
    check,
    state: 'warning',
    found: `${found}. Containers do not see them on ${names}, where the default runtime is not ${NVIDIA}`,
    fix: `${HOW_TO_CONFIGURE}.`,
  }
}

function nodeCardsText({ name, cards, labels }: SwarmNode): string {
  const kinds = cards.map(({ kind, count }) => `${count} x ${kind}`).join(', ')
  const label = labels[CARD_LABEL]
  return `${name}: ${kinds} (${label === undefined ? `no label ${CARD_LABEL}: for workers that take any GPU` : label})`
}
