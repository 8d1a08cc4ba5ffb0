import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  allocateGpus,
  type GpuHold,
  type GpuNeed,
  gpuSlots,
  isNamed,
  meetsWant,
  readGpuWishes,
} from '../../../src-main/runtimes/rules/gpu-allocation.ts'
import type { Gpu } from '../../../src-main/runtimes/rules/gpu-list.ts'
import { card, recordedCards } from '../../support/recorded-gpus.ts'

const need = (gpu: string | undefined, fields: Partial<GpuNeed> = {}): GpuNeed => ({
  gpu,
  gpuCount: 1,
  gpuShared: false,
  ...fields,
})

const hold = (of: Gpu | undefined, endpointId: string, shared = false): GpuHold => ({
  gpuId: of?.id ?? '',
  workerId: `worker of ${endpointId}`,
  endpointId,
  shared,
})

const RTX_4090 = recordedCards('one-rtx-4090')
const MIXED = recordedCards('two-l40s-one-a100')
const [L40S, USED_L40S, A100] = MIXED

const given = (cards: readonly Gpu[], asked: GpuNeed, held: readonly GpuHold[] = []) => {
  const answer = allocateGpus(asked, { cards }, held)
  return 'reason' in answer ? answer.reason : answer.ids.map((id) => cards.findIndex((own) => own.id === id))
}

describe('the cards for a worker', () => {
  it('are none for one that needs none', () => {
    expect(given([], need(undefined))).toEqual([])
  })

  it.each(['ANY', 'any', 'ADA_24', 'ada_24', '4090', 'rtx_4090', 'RTX4090', 'NVIDIA GeForce RTX 4090', '-NVIDIA L4'])(
    'on a machine with an RTX 4090, %s gets it',
    (gpu) => expect(given(RTX_4090, need(gpu))).toEqual([0]),
  )

  it.each([
    ['the smallest that is enough', 'ANY', [0]],
    ['a larger one where the group needs it', 'AMPERE_80', [2]],
    ['one of the models of the group before a smaller other one', 'AMPERE_48', [0]],
    ['what the first wish that can be met says', 'H100,A100,L40S', [2]],
    ['what is left without the excluded ones', 'ADA_48_PRO,-NVIDIA L40S', [2]],
  ])('are %s', (_what, gpu, ids) => {
    expect(given(MIXED, need(gpu))).toEqual(ids)
  })

  it('are of the same name where that is possible', () => {
    const cards = [card(0, 'NVIDIA L4', 22), card(1, 'NVIDIA RTX A5000', 24), card(2, 'NVIDIA RTX A5000', 24)]
    expect(given(cards, need('ANY', { gpuCount: 2 }))).toEqual([1, 2])
    expect(given(cards, need('ANY', { gpuCount: 3 }))).toEqual([0, 1, 2])
  })

  it('are the least used of those that are alike', () => {
    const cards = [card(0, 'L4', 22, { usedBytes: 9 }), card(1, 'L4', 22), card(2, 'L4', 22, { usePercent: 5 })]
    expect(given(cards, need('L4', { gpuCount: 3 }))).toEqual([1, 2, 0])
    const held = [hold(cards[1], 'a', true)]
    expect(given(cards, need('L4', { gpuShared: true }), held)).toEqual([2])
  })

  it('come from a group whose models are there before larger memory, and its memory counts too', () => {
    const cards = [card(0, 'NVIDIA RTX 4000 SFF Ada Generation', 20), card(1, 'Quadro RTX 4000', 8)]
    expect(given(cards, need('AMPERE_16'))).toEqual([0])
    const a100 = [card(0, 'NVIDIA A100-PCIE-40GB', 40), card(1, 'NVIDIA H200', 140)]
    expect(given(a100, need('AMPERE_80'))).toEqual([1])
  })
})

describe('a group', () => {
  const GIB = 1024 ** 3
  const meets = (memoryBytes: number | undefined) =>
    'ids' in allocateGpus(need('ADA_24'), { cards: [{ ...card(0, 'X', 1), memoryBytes }] }, [])

  it('is met from 93 % of its memory on, which the driver shows of such cards', () => {
    expect([24 * GIB * 0.93 - 1, 24 * GIB * 0.93, 24 * GIB, 48 * GIB].map(meets)).toEqual([false, true, true, true])
    expect(meets(undefined)).toBe(false)
  })

  it.each([
    ['NVIDIA L4', 23_034, 'AMPERE_24'],
    ['NVIDIA GeForce RTX 3090', 24_576, 'ADA_24'],
    ['NVIDIA A40', 46_068, 'AMPERE_48'],
    ['NVIDIA GeForce RTX 5090', 32_607, 'ADA_32_PRO'],
    ['NVIDIA H100 80GB HBM3', 81_559, 'ADA_80_PRO'],
    ['NVIDIA RTX PRO 6000 Blackwell Server Edition', 97_887, 'BLACKWELL_96'],
    ['NVIDIA H200', 143_771, 'HOPPER_141'],
    ['NVIDIA B200', 183_359, 'BLACKWELL_180'],
  ])('%s with the %i MiB that it shows is enough for %s', (name, mebibytes, group) => {
    expect(given([card(0, name, mebibytes / 1024)], need(group))).toEqual([0])
  })
})

describe('the name of a card', () => {
  it.each([
    ['NVIDIA L40S', 'L40', false],
    ['NVIDIA L40S', 'L4', false],
    ['NVIDIA RTX A4000', 'A40', false],
    ['NVIDIA RTX PRO 6000 Blackwell Server Edition', 'RTX 6000', false],
    ['NVIDIA H100 80GB HBM3', 'h100', true],
    ['NVIDIA H100 80GB HBM3', 'H100 PCIe', false],
    ['NVIDIA A100-SXM4-80GB', 'A100 SXM4', true],
    ['GeForce RTX 3090', 'NVIDIA GeForce RTX 3090', true],
    ['NVIDIA RTX 6000 Ada Generation', 'RTX 6000 Ada', true],
    ['NVIDIA GeForce RTX 4090', 'GeForce', true],
    ['NVIDIA RTX 6000 Ada Generation', 'GeForce', false],
    ['NVIDIA GeForce RTX 4090', '-', false],
  ])('%s is called %s: %s', (name, part, called) => {
    expect(isNamed({ name }, part)).toBe(called)
  })
})

describe('the reason', () => {
  it.each([
    ['in use', 'ADA_24', 1, RTX_4090, 'needs 1 GPU of 24 GB, 0 free (1 of 1 in use by endpoint hello)'],
    ['in use, by name', '4090', 1, RTX_4090, 'needs 1 GPU named 4090, 0 free (1 of 1 in use by endpoint hello)'],
    ['in use, any', 'ANY', 1, RTX_4090, 'needs 1 GPU, 0 free (1 of 1 in use by endpoint hello)'],
    ['too few', 'ADA_24', 2, RTX_4090, 'needs 2 GPUs like ADA_24, found 1'],
    ['too few, any', 'ANY', 2, RTX_4090, 'needs 2 GPUs, found 1'],
    ['no such name', 'H100', 1, RTX_4090, 'no GPU is named H100: found NVIDIA GeForce RTX 4090 (24 GB)'],
    [
      'none that large',
      'BLACKWELL_180, B200',
      1,
      MIXED,
      'no GPU is like BLACKWELL_180 (180 GB) or named B200: found 2 x NVIDIA L40S (45 GB), NVIDIA A100 80GB PCIe (80 GB)',
    ],
    ['excluded', 'ANY,-4090', 1, RTX_4090, 'no GPU is usable and not 4090: found NVIDIA GeForce RTX 4090 (24 GB)'],
    [
      'MIG',
      'ANY',
      1,
      recordedCards('mig-a100'),
      'no GPU is usable: found NVIDIA A100-SXM4-80GB (80 GB); GPUs in MIG mode and their slices are not used',
    ],
  ])('%s', (_what, gpu, gpuCount, cards, reason) => {
    expect(given(cards, need(gpu, { gpuCount }), [hold(cards[0], 'hello')])).toBe(reason)
  })

  it('is that of the wish that came nearest, with all who are in the way', () => {
    const held = [hold(L40S, 'a'), hold(USED_L40S, 'b'), hold(A100, 'b')]
    expect(given(MIXED, need('H100,AMPERE_48', { gpuCount: 2 }), held)).toBe(
      'needs 2 GPUs of 48 GB, 0 free (3 of 3 in use by endpoints a, b)',
    )
  })

  it('is what is wrong with the driver where there is no card, and with a lost one where one is missing', () => {
    const fault = 'the NVIDIA driver is not loaded'
    expect(allocateGpus(need('ANY'), { cards: [], fault }, [])).toEqual({ reason: fault })
    const lost = { cards: RTX_4090, fault: 'the GPU at 1 does not answer any more' }
    expect(allocateGpus(need('ANY', { gpuCount: 2 }), lost, [])).toEqual({
      reason: 'needs 2 GPUs, found 1 (the GPU at 1 does not answer any more)',
    })
  })
})

describe('sharing', () => {
  const shared = need('ANY', { gpuShared: true })

  it('a card goes to any number of workers that share, and to none that does not', () => {
    const held = [hold(RTX_4090[0], 'a', true), hold(RTX_4090[0], 'b', true)]
    expect(given(RTX_4090, shared, held)).toEqual([0])
    expect(given(RTX_4090, need('ANY'), held)).toBe('needs 1 GPU, 0 free (1 of 1 in use by endpoints a, b)')
  })

  it('a GPU in exclusive use is not free', () => {
    expect(given(RTX_4090, shared, [hold(RTX_4090[0], 'a')])).toContain('0 free')
  })
})

describe('places', () => {
  it('are as many workers as find cards, and the reason why not more', () => {
    expect(gpuSlots(need('ANY'), { cards: MIXED }, [hold(A100, 'a')])).toEqual({
      free: 2,
      reason: 'needs 1 GPU, 0 free (3 of 3 in use by endpoint a)',
    })
    expect(gpuSlots(need('ANY', { gpuCount: 2 }), { cards: MIXED }, [])).toEqual({
      free: 1,
      reason: 'needs 2 GPUs, 1 free (2 of 3 in use)',
    })
  })

  it('do not end for workers that share or need no card', () => {
    expect(gpuSlots(need('ANY', { gpuShared: true }), { cards: MIXED }, [])).toEqual({ free: 100, reason: undefined })
    expect(gpuSlots(need(undefined), { cards: [] }, []).free).toBe(Number.POSITIVE_INFINITY)
  })
})

describe('on any small machine', () => {
  const NAMES = ['NVIDIA L4', 'NVIDIA A40', 'NVIDIA GeForce RTX 4090', 'NVIDIA H200']
  const machines = fc
    .array(
      fc.record({
        name: fc.constantFrom(...NAMES),
        memoryGb: fc.constantFrom(8, 22.5, 24, 45, 140),
        mig: fc.boolean(),
        usedBytes: fc.nat(3),
      }),
      { maxLength: 5 },
    )
    .map((cards) => cards.map(({ name, memoryGb, ...fields }, id) => card(id, name, memoryGb, fields)))
  const needs = fc.record({
    gpu: fc
      .array(fc.constantFrom('ANY', 'ADA_24', 'AMPERE_48', 'HOPPER_141', 'A40', 'L4', '-L4', '-H200'), { maxLength: 3 })
      .map((items) => items.join(',') || 'ANY'),
    gpuCount: fc.integer({ min: 1, max: 4 }),
    gpuShared: fc.boolean(),
  })

  /** Workers that come and go, each with its answer. */
  const histories = fc.record({ cards: machines, asked: fc.array(fc.tuple(needs, fc.boolean()), { maxLength: 12 }) })

  it('no card has two holders unless all share, and nobody gets more, fewer or others than asked for', () => {
    fc.assert(
      fc.property(histories, ({ cards, asked }) => {
        let held: readonly GpuHold[] = []
        for (const [index, [wanted, leaves]] of asked.entries()) {
          const answer = allocateGpus(wanted, { cards }, held)
          if ('reason' in answer) continue
          expect(new Set(answer.ids).size).toBe(wanted.gpuCount)
          held = [...held, ...answer.ids.map((gpuId) => ({ ...hold(undefined, `e${index}`, wanted.gpuShared), gpuId }))]
          for (const { id } of cards) {
            const holders = held.filter(({ gpuId }) => gpuId === id)
            expect(holders.length <= 1 || holders.every(({ shared }) => shared)).toBe(true)
          }
          if (leaves) held = held.filter(({ endpointId }) => endpointId !== `e${index}`)
        }
      }),
    )
  })

  it('there is an answer exactly when trying all sets of cards finds one', () => {
    const freeFor = (shared: boolean, held: readonly GpuHold[]) => (own: Gpu) =>
      held.every(({ gpuId, shared: other }) => gpuId !== own.id || (shared && other))
    const sets = (cards: readonly Gpu[]) =>
      Array.from({ length: 2 ** cards.length }, (_, bits) => cards.filter((_card, at) => (bits >> at) & 1))

    fc.assert(
      fc.property(
        machines,
        needs,
        fc.array(fc.tuple(fc.nat(4), fc.boolean()), { maxLength: 4 }),
        (cards, wanted, taken) => {
          const held = taken.map(([index, shared]) => hold(cards[index], 'other', shared))
          const { wants, excluded } = readGpuWishes(wanted.gpu)
          const possible = sets(cards).filter(
            (set) =>
              set.length === wanted.gpuCount &&
              set.every(freeFor(wanted.gpuShared, held)) &&
              set.every((own) => !own.mig && !excluded.some((name) => isNamed(own, name))) &&
              wants.some((want) => set.every((own) => meetsWant(want, own))),
          )
          const answer = allocateGpus(wanted, { cards }, held)
          if ('reason' in answer) expect(possible).toEqual([])
          else expect(possible.map((set) => set.map(({ id }) => id).sort())).toContainEqual([...answer.ids].sort())
        },
      ),
    )
  })

  it('as many workers are given cards one after another as places were promised', () => {
    fc.assert(
      fc.property(machines, needs, (cards, wanted) => {
        const exclusive = { ...wanted, gpuShared: false }
        const { free } = gpuSlots(exclusive, { cards }, [])
        let held: readonly GpuHold[] = []
        for (let at = 0; ; at++) {
          const answer = allocateGpus(exclusive, { cards }, held)
          if ('reason' in answer) {
            expect(at).toBe(free)
            return
          }
          held = [...held, ...answer.ids.map((gpuId) => ({ ...hold(undefined, `e${at}`), gpuId }))]
        }
      }),
    )
  })
})
