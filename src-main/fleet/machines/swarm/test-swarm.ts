/** Tests a swarm step by step: its manager, its nodes, the network between them, their cards. */
import { counted } from '../../../domain/text.ts'
import type { TestWatch } from '../../../services/ports/machines.ts'
import type { Engine } from '../../docker/engine.ts'
import { answers, refuseNoManager, type Swarm } from './swarm.ts'
import { READY, whyAway } from './swarm-nodes.ts'
import { HOW_TO_CONFIGURE } from './swarm-room.ts'

/** Runs the test; each step that fails says why, and ends it. */
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
      (node) => `the engine of ${node.name} is not reached: ${node.engine.problem() ?? 'no agent runs there'}`,
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
          fix: 'Let protocol 50 (ESP) through between the nodes, whose kernels must know it, then remove the machine and add it again. Until then whoever can listen between them can read what workers get.',
        },
  )
  const cards = nodes.filter((node) => node.cards.length > 0)
  report(
    cards.length > 0
      ? {
          check: 'Graphics cards',
          state: 'ok',
          found: cards
            .map(({ name, cards: of }) => `${name}: ${of.map(({ kind, count }) => `${count} x ${kind}`).join(', ')}`)
            .join('; '),
        }
      : { check: 'Graphics cards', state: 'warning', found: 'no node hands out cards', fix: `${HOW_TO_CONFIGURE}.` },
  )
}
