import type { MachineDriver } from '../../features/machines/ports.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Fleet } from '../port.ts'

export function openNoMachine(what: string, clock: Pick<Clock, 'now'>): MachineDriver {
  const reason = `there is no driver for ${what}`
  const since = clock.now()
  const reject = () => Promise.reject(new Error(reason))
  return {
    fleet: noFleet(reason),
    status: () => ({ state: 'unreachable', reason, since }),
    facts: reject,
    test: async ({ report }) => report({ check: 'Driver', state: 'failed', found: reason }),
    onChange: () => undefined,
    clear: async () => undefined,
    close: async () => undefined,
  }
}

function noFleet(reason: string): Fleet {
  const reject = () => Promise.reject(new Error(reason))
  const nothing = () => undefined
  const done = async () => undefined
  return {
    ensure: reject,
    prepare: reject,
    start: reject,
    stop: done,
    pause: done,
    resume: done,
    list: () => [],
    isAway: () => false,
    checkAway: async () => undefined,
    adopt: async () => false,
    sweep: done,
    drainOutput: nothing,
    capacity: () => ({ free: 0, reason, never: true }),
    refusal: async () => reason,
    usage: async () => new Map(),
    openShell: reject,
    onExit: nothing,
    onOutput: nothing,
    onCapacity: nothing,
    close: done,
  }
}
