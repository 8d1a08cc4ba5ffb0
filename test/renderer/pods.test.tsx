import { screen } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { POD_DEFAULTS, type PodFacts, viewPod } from '../../src-main/features/pods/rules.ts'
import { podBody } from '../../src-renderer/features/workers/NewPodPanel.tsx'
import { linesOf, PodListPage } from '../../src-renderer/features/workers/PodPages.tsx'
import { giveSizes, NOW, renderInApp } from './support.tsx'

const pod = (id: string, facts: Partial<PodFacts>) =>
  viewPod(
    {
      ...{ id, name: id, wanted: 'RUNNING', reason: undefined, createdAt: NOW },
      settings: { ...POD_DEFAULTS, image: 'python:3.12-slim', ports: ['8888/http', '22/tcp'] },
    },
    { state: undefined, progress: undefined, away: undefined, now: NOW, ...facts },
  )

const STATE = { isRunning: true, startedAt: NOW, ports: { '8888': 32_768, '22': 32_769 }, exit: undefined }

const pagination = { hasNextPage: false, nextCursor: null }

beforeEach(giveSizes)

test('the list shows states with reasons, and HTTP ports as links', async () => {
  const pods = [pod('dev', { state: STATE }), pod('notes', { progress: 'pulling python:3.12-slim' })]
  renderInApp(<PodListPage />, { podList: { pods, pagination } })
  const link = await screen.findByRole('link', { name: 'http://127.0.0.1:32768' })
  expect(link.getAttribute('href')).toBe('http://127.0.0.1:32768')
  expect(screen.queryByRole('link', { name: '127.0.0.1:32769' })).toBeNull()
  expect(screen.getByText('127.0.0.1:32769')).toBeTruthy()
  expect(screen.getByText('pulling python:3.12-slim')).toBeTruthy()
  expect(screen.getByText('Running')).toBeTruthy()
})

test('an empty list names the command that creates a pod', async () => {
  renderInApp(<PodListPage />, { podList: { pods: [], pagination } })
  expect(await screen.findByText(/drydock pod create/)).toBeTruthy()
})

test('lines are read from the events of a log', () => {
  const sent = { source: 'container', line: 'hello', ts: new Date(NOW).toISOString() }
  const text = `: connected\n\ndata: ${JSON.stringify(sent)}\nid: ${sent.ts}\n\n`
  expect(linesOf(text, 'p1')).toMatchObject([{ id: 1, at: NOW, line: 'hello' }])
})

test('empty fields of a new pod keep their defaults, and a network volume has no size', () => {
  const texts = {
    name: ' dev ',
    image: 'a:1',
    command: '',
    ports: '',
    path: '',
    size: '',
    network: '',
    disk: '',
    gpu: '',
  }
  const chosen = { variables: [], volume: '', registry: '' }
  expect(JSON.parse(JSON.stringify(podBody(texts, chosen)))).toEqual({ name: 'dev', image: 'a:1', env: {} })
  const full = { ...texts, ports: '8888/http, 22/tcp', path: '/data', network: 'v1', disk: '9', gpu: 'ANY' }
  const variables = [{ name: 'A', value: '1' }]
  expect(podBody(full, { variables, volume: 'network', registry: 'r' })).toMatchObject({
    ...{ ports: ['8888/http', '22/tcp'], gpuTypeIds: ['ANY'], env: { A: '1' }, registry: 'r', containerDiskInGb: 9 },
    ...{ networkVolumeId: 'v1', volumeMountPath: '/data', volumeInGb: 0 },
  })
  expect(podBody(full, { ...chosen, volume: 'none' })).toMatchObject({ volumeInGb: 0, networkVolumeId: undefined })
})
