import type Docker from 'dockerode'
import { createEngine } from './engine.ts'
import { localEngine } from './engine-host.ts'
import type { EngineSurroundings } from './find-engine.ts'

export async function openLocalEngine(surroundings: EngineSurroundings): Promise<Docker> {
  const note = () => undefined
  const engine = createEngine({
    clock: {
      now: Date.now,
      steady: () => performance.now(),
      after(ms, run) {
        const timer = setTimeout(run, ms)
        return () => clearTimeout(timer)
      },
    },
    log: { info: note, warn: note, error: note },
    place: localEngine(surroundings),
    label: 'svc.image=none',
  })
  try {
    const { docker } = await engine.findEngine()
    return docker
  } finally {
    engine.close()
  }
}
