import type { MachineDriver, MachineStatus } from '../../features/machines/ports.ts'
import type { Clock } from '../../lib/clock.ts'
import { createEmitter } from '../../lib/emitter.ts'
import { createDockerFleet } from '../docker/docker-fleet.ts'
import { createEngine } from '../docker/engine.ts'
import { localHost } from '../docker/engine-host.ts'
import type { EngineAddress } from '../docker/find-engine.ts'
import { LABELS } from '../docker/labels.ts'
import type { Fleet } from '../port.ts'
import { createEngineUse, factsOfEngine, testEngine } from './engine-facts.ts'
import type { MachineOptions } from './machine-options.ts'

// Interval of checks of a silent engine, ms; source: ours.
const LOOK_AGAIN_MS = 2000

export function openEngineMachine({ host }: EngineAddress, options: MachineOptions): MachineDriver {
  const { clock } = options
  const id = options.state.serviceId()
  const surroundings = { ...options.surroundings, env: { ...options.surroundings.env, DOCKER_HOST: host } }
  const place = localHost({ ...options, surroundings })
  const engine = createEngine({ clock, log: options.log, place, label: `${LABELS.service}=${id}` })
  const fleet = createDockerFleet({ ...options, place, engine })
  const use = createEngineUse(clock)
  const watch = watchEngine(fleet, clock)
  return {
    fleet,
    status: watch.status,
    async facts() {
      const facts = await factsOfEngine(fleet)
      return { ...facts, ...use.of((await engine.findEngine()).docker) }
    },
    test: (test) => testEngine(fleet, test),
    onChange: watch.onChange,
    clear: () => fleet.sweep(),
    async close() {
      watch.close()
      await fleet.close()
      return engine.problem()
    },
  }
}

export function watchEngine(fleet: Fleet, clock: Clock) {
  const changes = createEmitter()
  let status: MachineStatus = { state: 'connecting', since: clock.now() }
  let cancel: (() => void) | undefined
  let isClosed = false

  async function look(): Promise<void> {
    const engine = await fleet.containerHost?.engine()
    if (isClosed) return
    const state = engine?.state === 'connected' ? 'connected' : 'unreachable'
    if (state !== status.state || engine?.reason !== status.reason) {
      status = { state, reason: engine?.reason, since: state === status.state ? status.since : clock.now() }
      changes.emit()
    }
    if (state === 'unreachable') {
      cancel?.()
      cancel = clock.after(LOOK_AGAIN_MS, lookNow)
    }
  }

  const lookNow = () => void look()
  fleet.onCapacity(lookNow)
  lookNow()
  return {
    status: () => status,
    look: lookNow,
    onChange: changes.on,
    close() {
      isClosed = true
      cancel?.()
    },
  }
}
