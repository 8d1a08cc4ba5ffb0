/** What an engine tells of the machine that it is on, and whether it can run a worker. */
import type { MachineFacts } from '../../contract/machines.ts'
import { cardsText } from '../../domain/worker/gpu-list.ts'
import type { Fleet } from '../../services/ports/fleet.ts'
import type { TestWatch } from '../../services/ports/machines.ts'

/** What the machine has. Rejects, with a reason for a person, where its engine does not answer. */
export async function factsOfEngine({ machine }: Pick<Fleet, 'machine'>): Promise<MachineFacts> {
  const engine = await machine?.engine()
  if (machine === undefined || engine?.state !== 'connected') throw new Error(engine?.reason ?? 'it has no engine')
  const [{ inventory, holds }, images] = await Promise.all([machine.gpus(false), machine.images()])
  const { info = {} } = engine
  return {
    engine: engine.version ?? 'unknown',
    ...(typeof info.OperatingSystem === 'string' ? { system: info.OperatingSystem } : {}),
    cpus: Number(info.NCPU ?? 0),
    memoryBytes: Number(info.MemTotal ?? 0),
    cards: inventory.cards.map(({ id, name, memoryBytes }) => ({
      name,
      ...(memoryBytes === undefined ? {} : { memoryBytes }),
      used: holds.filter(({ gpuId }) => gpuId === id).length,
    })),
    ...(inventory.fault === undefined ? {} : { cardFault: inventory.fault }),
    images: images.map(({ name, bytes }) => ({ name, bytes })),
  }
}

/** Tests the engine, step by step: that it answers, its cards, the image of workers. */
export async function testEngine({ machine }: Pick<Fleet, 'machine'>, { report }: TestWatch): Promise<void> {
  const engine = await machine?.engine()
  if (machine === undefined || engine?.state !== 'connected') {
    report({
      check: 'Docker engine',
      state: 'failed',
      found: engine?.reason ?? 'it has no engine',
      fix: 'Start Docker there, and let this user use it.',
    })
    return
  }
  report({ check: 'Docker engine', state: 'ok', found: engine.version ?? 'unknown' })
  const { cards, fault, fix } = (await machine.gpus(true)).inventory
  report(
    cards.length > 0
      ? { check: 'Graphics cards', state: 'ok', found: cardsText(cards) }
      : {
          check: 'Graphics cards',
          state: 'warning',
          found: fault ?? 'it has none',
          ...(fix === undefined ? {} : { fix }),
        },
  )
  const name = machine.workerImage()
  const isThere = (await machine.images().catch(() => [])).some((image) => image.name === name)
  report({
    check: 'Worker image',
    state: 'ok',
    found: isThere ? `${name} is there` : 'it is made with the first worker that needs it',
  })
}
