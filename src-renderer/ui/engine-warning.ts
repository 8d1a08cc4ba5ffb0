import type { LocalMachineView } from '../../src-main/contract/system.ts'
import { withFullStop } from '../../src-main/lib/text.ts'

export function engineWarning(machine: Pick<LocalMachineView, 'engine'> | undefined): string | undefined {
  if (machine === undefined || machine.engine.state === 'connected') return undefined
  const reason = machine.engine.reason ?? 'no Docker engine answers'
  return `Images need Docker, and ${withFullStop(reason)} Start Docker, or set DOCKER_HOST.`
}
