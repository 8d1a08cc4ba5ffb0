import { expect, test } from 'vitest'
import type { LocalMachineView } from '../../src-main/contract/system.ts'
import { cardsPiece, enginePiece } from '../../src-renderer/app/StatusBar.tsx'

const machine = (changes: Partial<LocalMachineView> = {}): LocalMachineView => ({
  engine: { state: 'connected', version: '28.3.2', source: 'a usual place' },
  gpus: [],
  workers: { used: 0, limit: 32 },
  ...changes,
})

const card = (index: number, heldBy: LocalMachineView['gpus'][number]['heldBy'] = []) => ({
  id: `GPU-${index}`,
  index,
  name: 'NVIDIA L40S',
  driver: '565',
  heldBy,
})

test('an engine that workers wait for draws the eye, one that nobody has does not', () => {
  const reason = 'the connection to the Docker engine was lost; reconnecting'
  expect(enginePiece(machine({ engine: { state: 'reconnecting', reason } }))).toEqual({
    text: 'docker lost',
    detail: 'The connection to the Docker engine was lost; reconnecting.',
    warns: true,
  })
  expect(enginePiece(machine({ engine: { state: 'absent', reason: 'no Docker engine answers' } }))).toEqual({
    text: 'no docker',
    detail: 'Workers run as processes. No Docker engine answers. This machine has no GPU.',
    warns: false,
  })
  expect(enginePiece(machine()).text).toBe('docker ok')
  expect(enginePiece(undefined)).toMatchObject({ text: 'docker …', warns: false })
})

test('cards are counted by who holds them, and take no place where there are none', () => {
  expect(cardsPiece(undefined)).toBeUndefined()
  expect(cardsPiece(machine())).toBeUndefined()
  const held = card(1, [{ workerId: 'w', endpointId: 'e', shared: false }])
  expect(cardsPiece(machine({ gpus: [card(0), held], gpuFault: 'one card fell off' }))).toEqual({
    text: 'GPU 1 of 2 used',
    detail: 'NVIDIA L40S. One card fell off.',
    warns: true,
  })
})
