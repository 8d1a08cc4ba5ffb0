import { act, fireEvent, screen } from '@testing-library/react'
import { describe, expect, test } from 'vitest'
import type { MachineView } from '../../src-main/contract/machines.ts'
import { AddMachinePanel } from '../../src-renderer/features/machines/AddMachinePanel.tsx'
import { NO_DRAFT, readMachineDraft } from '../../src-renderer/features/machines/machine-draft.ts'
import { cardsText, diskText, loadText, whatRemovalEnds } from '../../src-renderer/features/machines/machine-state.ts'
import { TestSteps, verdictOf } from '../../src-renderer/features/machines/TestSteps.tsx'
import { MachineSelect } from '../../src-renderer/ui/form/MachineSelect.tsx'
import { machineChoices, onMachineText, whyNoWorkers } from '../../src-renderer/ui/form/machine-choice.ts'
import { NOW, renderInApp } from './support.tsx'

const machine = (name: string, more: Partial<MachineView> = {}): MachineView => ({
  name,
  way: { kind: 'ssh', to: `ada@${name}` },
  swarm: false,
  addedAt: NOW,
  state: 'connected',
  since: NOW,
  workers: [],
  endpoints: [],
  test: { isRunning: false, steps: [] },
  ...more,
})

const FACTS = { engine: '28', cpus: 4, memoryBytes: 2 ** 34, cards: [], images: [] }

describe('a machine that is typed in', () => {
  const typed = (way: 'SSH' | 'Docker context' | 'TCP', texts: Partial<typeof NO_DRAFT.texts>) =>
    readMachineDraft({ ...NO_DRAFT, way, texts: { ...NO_DRAFT.texts, ...texts } })

  test('is read by its way; what is typed for other ways is left out', () => {
    const all = { name: ' box ', to: 'ada@box', port: '2222', context: 'colima', url: 'tcp://127.0.0.1:2376' }
    expect(typed('SSH', all)).toEqual({
      machine: { name: 'box', way: { kind: 'ssh', to: 'ada@box', port: 2222 }, swarm: false },
    })
    expect(typed('Docker context', all)).toMatchObject({ machine: { way: { kind: 'context', name: 'colima' } } })
    expect(typed('TCP', all)).toMatchObject({ machine: { way: { kind: 'tcp', url: 'tcp://127.0.0.1:2376' } } })
    expect(typed('TCP', { ...all, tlsFolder: '/certs' })).toMatchObject({ machine: { way: { tlsFolder: '/certs' } } })
  })

  test.each([
    ['SSH', { name: '', to: 'ada@box' }, 'name'],
    ['SSH', { name: 'any', to: 'ada@box' }, 'name'],
    ['SSH', { name: 'box', to: '-oProxyCommand=x' }, 'to'],
    ['SSH', { name: 'box', to: 'ada@box', port: '65536' }, 'port'],
    ['SSH', { name: 'box', to: 'ada@box', port: 'x' }, 'port'],
    ['Docker context', { name: 'box', context: '' }, 'context'],
    ['TCP', { name: 'box', url: 'http://box' }, 'url'],
    ['TCP', { name: 'box', url: 'tcp://box', tlsFolder: 'certs' }, 'tlsFolder'],
  ] as const)('by %s with %j has its problem next to the field', (way, texts, field) => {
    expect(Object.keys((typed(way, texts) as { problems: object }).problems)).toEqual([field])
  })

  test('a port is read up to its limit', () => {
    expect(typed('SSH', { name: 'box', to: 'b', port: '65535' })).toHaveProperty('machine')
    expect(typed('SSH', { name: 'box', to: 'b', port: '0' })).toHaveProperty('problems')
    expect(typed('SSH', { name: 'box', to: 'b', port: '1' })).toHaveProperty('machine')
  })
})

describe('words for machines', () => {
  test('cards of one model are counted, and none has its reason', () => {
    expect(cardsText({ cards: [{ name: 'L4' }, { name: 'L4' }, { name: 'A2' }] })).toBe('2 × L4, A2')
    expect(cardsText({ cards: [], cardFault: 'no driver' })).toBe('none: no driver')
    expect(cardsText({ cards: [] })).toBe('none')
  })

  test('disk and load are said as far as they are known', () => {
    expect(diskText(FACTS)).toBeUndefined()
    expect(diskText({ ...FACTS, diskFreeBytes: 2 ** 30 })).toBe('1.0 GiB free')
    expect(diskText({ ...FACTS, diskFreeBytes: 2 ** 30, diskTotalBytes: 2 ** 31 })).toBe('1.0 GiB free of 2.0 GiB')
    expect(loadText(FACTS)).toBeUndefined()
    expect(loadText({ ...FACTS, load: 2 })).toBe('2.00 (50 % of 4 CPUs)')
    // Facts from the API of an engine alone.
    expect(diskText({ ...FACTS, dockerDiskBytes: 2 ** 30 })).toBe('1.0 GiB used by Docker')
    expect(loadText({ ...FACTS, cpusUsed: 1.25 })).toBe('containers use 1.25 of 4 CPUs')
  })

  test('a removal says which workers end and which endpoints wait', () => {
    const more = { workers: [{ workerId: 'w', endpointId: 'e' }], endpoints: ['e'] }
    const text = whatRemovalEnds(machine('box', more), () => 'Echo')
    expect(text).toContain('1 worker there ends at once; its jobs are queued again')
    expect(text).toContain('Jobs of Echo wait until you choose another machine, or add box again.')
    expect(whatRemovalEnds(machine('box'), String)).toMatch(/^No worker runs there now\./)
  })

  test('a test says what it found in one sentence', () => {
    const step = (state: 'ok' | 'warning' | 'failed') => ({ check: 'SSH', state, found: 'x' })
    expect(verdictOf([])).toContain('not been tested')
    expect(verdictOf([step('ok')])).toBe('It can run workers.')
    expect(verdictOf([step('ok'), step('warning')])).toContain('except those')
    expect(verdictOf([step('warning'), step('failed')])).toContain('SSH failed')
  })

  test('an endpoint says where its workers run, where that is not this machine', () => {
    expect(onMachineText({})).toBe('')
    expect(onMachineText({ container: { machine: 'this machine' } })).toBe('')
    expect(onMachineText({ container: { machine: 'any' } })).toBe(' on any machine')
    expect(onMachineText({ container: { machine: 'box' } })).toBe(' on box')
  })
})

describe('the choice of a machine', () => {
  const machines = [machine('box'), machine('far', { state: 'unreachable', reason: 'timed out' })]

  test('has this one, any and each that was added, and keeps one that was not, with what that means', () => {
    expect(machineChoices('gone', machines).map(({ label }) => label)).toEqual([
      'This machine',
      'Any machine with room',
      'box',
      'far (not reachable)',
      'gone (not added)',
    ])
    expect(machineChoices('box', machines)).toHaveLength(4)
    expect(machineChoices('box', undefined).at(-1)).toEqual({ value: 'box', label: 'box' })
    expect(whyNoWorkers('gone', machines)).toContain('There is no machine gone')
    expect(whyNoWorkers('far', machines)).toBe('far cannot be reached: timed out.')
    for (const fine of ['box', 'any', 'this machine']) expect(whyNoWorkers(fine, machines)).toBeUndefined()
  })

  test('says next to the field why workers wait', async () => {
    renderInApp(<MachineSelect value="gone" onChange={() => undefined} />, { machineList: { machines } })
    expect(await screen.findByText(/There is no machine gone/)).toBeTruthy()
  })
})

test('the form of a machine sends it, and then shows the steps of its test as they come', async () => {
  const added = machine('box', { test: { isRunning: true, steps: [] } })
  const steps = [{ check: 'SSH', state: 'ok' as const, found: 'logged in to ada@box' }]
  const { calls } = renderInApp(<AddMachinePanel onClose={() => undefined} />, {
    info: { role: 'admin' },
    machineAdd: added,
    machineList: { machines: [{ ...added, test: { isRunning: true, steps } }] },
  })
  fireEvent.change(screen.getByLabelText('Name'), { target: { value: 'box' } })
  fireEvent.change(screen.getByLabelText('SSH address'), { target: { value: 'ada@box' } })
  await act(async () => fireEvent.click(screen.getByRole('button', { name: 'Add and test' })))
  expect(await screen.findByText(/logged in to ada@box/)).toBeTruthy()
  expect(await screen.findByText('Running the next check.')).toBeTruthy()
  expect(calls.find(({ operation }) => operation === 'machineAdd')?.args).toEqual({
    body: { name: 'box', way: { kind: 'ssh', to: 'ada@box' }, swarm: false },
  })
})

test('a failed step is shown with its fix', () => {
  const steps = [{ check: 'SSH', state: 'failed' as const, found: 'Permission denied', fix: 'Add your key there.' }]
  renderInApp(<TestSteps test={{ isRunning: false, steps }} />)
  expect(screen.getByText('Add your key there.')).toBeTruthy()
  expect(screen.getByText('Failed')).toBeTruthy()
})
