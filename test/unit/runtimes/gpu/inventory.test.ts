import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createGpuReader, hasNvidiaHook } from '../../../../src-main/runtimes/docker/gpu-inventory.ts'
import { cardsText } from '../../../../src-main/runtimes/rules/gpu-list.ts'
import { RECORDED_NVIDIA_SMI } from '../../../support/recorded-gpus.ts'

const readerOf = (machine: string, limitMs?: number) =>
  createGpuReader({
    programs: ['/nowhere/nvidia-smi', RECORDED_NVIDIA_SMI],
    env: { PATH: process.env.PATH, RECORDED_GPUS: machine },
    limitMs,
  })

const GIB = 1024 ** 3

test('a card is read with all its fields, and what it lacks is undefined', async () => {
  expect(await readerOf('one-rtx-4090').inventory()).toEqual({
    cards: [
      {
        id: 'GPU-8f6d2a1e-3c57-4b0a-9d44-6e1f0b7c52a9',
        index: 0,
        name: 'NVIDIA GeForce RTX 4090',
        memoryBytes: 24_564 * 1024 ** 2,
        usedBytes: 412 * 1024 ** 2,
        usePercent: 3,
        driver: '550.90.07',
        computeCapability: '8.9',
        mig: false,
        bus: '00000000:01:00.0',
      },
    ],
  })
  const [card] = (await readerOf('no-numbers').inventory()).cards
  expect(card).toMatchObject({ name: 'NVIDIA GB10', memoryBytes: undefined, usedBytes: undefined, usePercent: 0 })
})

test.each([
  ['two-l40s-one-a100', '2 x NVIDIA L40S (45 GB), NVIDIA A100 80GB PCIe (80 GB)'],
  ['h200', 'NVIDIA H200 (140 GB)'],
  ['laptop-8gb', 'NVIDIA GeForce RTX 4060 Laptop GPU (8 GB)'],
  ['mig-a100', 'NVIDIA A100-SXM4-80GB (80 GB)'],
])('the cards of %s in words', async (machine, words) => {
  const { cards, fault } = await readerOf(machine).inventory()
  expect([cardsText(cards), fault]).toEqual([words, undefined])
  expect(cards.map(({ mig }) => mig)).toEqual(cards.map(() => machine === 'mig-a100'))
})

test.each([
  ['none', 'there is no NVIDIA GPU: its driver finds none', 0],
  ['driver-mismatch', 'the NVIDIA driver was updated, but the old one is still running', 0],
  ['lost-card', 'the GPU at 0000:65:00.0 does not answer any more', 1],
])('%s is told in words with what to do', async (machine, fault, cards) => {
  const inventory = await readerOf(machine).inventory()
  expect([inventory.fault, inventory.cards.length]).toEqual([fault, cards])
  expect(inventory.fix).toMatch(/\.$/)
})

test('a machine without nvidia-smi has no card and reports it', async () => {
  const reader = createGpuReader({ programs: ['/nowhere/nvidia-smi'] })
  expect(await reader.inventory()).toMatchObject({
    cards: [],
    fault: 'there is no NVIDIA GPU: nvidia-smi was not found',
  })
  expect(await reader.processes()).toEqual([])
})

test('nvidia-smi that hangs is ended when its time is over', async () => {
  expect(await readerOf('hangs', 100).inventory()).toMatchObject({ cards: [], fault: 'nvidia-smi does not answer' })
})

test('the processes on the cards are read, without memory where the driver does not tell it', async () => {
  const [, second] = (await readerOf('two-l40s-one-a100').inventory()).cards
  expect(await readerOf('two-l40s-one-a100').processes()).toEqual([
    { gpuId: second?.id, pid: 3101, memoryBytes: 21_876 * 1024 ** 2 },
    { gpuId: second?.id, pid: 3177, memoryBytes: 1020 * 1024 ** 2 },
  ])
  expect(await readerOf('laptop-8gb').processes()).toMatchObject([{ pid: 2210, memoryBytes: undefined }])
  expect(await readerOf('h200').processes()).toEqual([])
  expect((await readerOf('h200').inventory()).cards[0]?.memoryBytes).toBeGreaterThan(140 * GIB)
})

test('the hook of NVIDIA counts only where it can be run', () => {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-hook-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const hook = join(folder, 'nvidia-container-runtime-hook')
  expect(hasNvidiaHook(['/nowhere', folder].join(delimiter))).toBe(false)
  writeFileSync(hook, '#!/bin/sh\n')
  chmodSync(hook, 0o755)
  expect(hasNvidiaHook(['/nowhere', folder].join(delimiter))).toBe(true)
})
