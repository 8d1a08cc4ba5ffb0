import { act, fireEvent, screen, within } from '@testing-library/react'
import { useState } from 'react'
import { describe, expect, test } from 'vitest'
import type { DeployPlan, ReleaseProgress } from '../../src-main/contract/app.ts'
import type { BuildView, PreviewView, ProjectDetail } from '../../src-main/contract/projects.ts'
import { PlanDiff } from '../../src-renderer/features/apps/PlanDiff.tsx'
import { BuildSteps, ExcludedList } from '../../src-renderer/features/apps/project/BuildParts.tsx'
import { BuildTab, Suggestions } from '../../src-renderer/features/apps/project/BuildTab.tsx'
import { PreviewTab } from '../../src-renderer/features/apps/project/PreviewTab.tsx'
import { ProblemList } from '../../src-renderer/features/apps/project/ProblemList.tsx'
import { useExcludes } from '../../src-renderer/features/apps/project/use-build.ts'
import { ReleaseCard } from '../../src-renderer/features/apps/ReleaseCard.tsx'
import { NOW, renderInApp } from './support.tsx'

const PLAN: DeployPlan = {
  app: 'shop',
  environment: 'production',
  makes: [],
  runsOn: 'processes',
  steps: [
    { resource: 'new', action: 'create', changes: [], replacesWorkers: false },
    {
      resource: 'changed',
      action: 'update',
      changes: [
        { setting: 'workersMax', from: 1, to: 5 },
        { setting: 'concurrency', to: 2 },
      ],
      replacesWorkers: false,
    },
    { resource: 'gone', action: 'delete', changes: [], replacesWorkers: false },
  ],
  warnings: ['The machine has no card.'],
}

function Planned() {
  const [deletes, setDeletes] = useState<readonly string[]>([])
  return (
    <>
      <PlanDiff plan={PLAN} deletes={deletes} onDeletes={setDeletes} />
      <output>{deletes.join()}</output>
    </>
  )
}

test('a plan says of which commit its code is, and of which the active one', () => {
  const commit = '1a2b3c4d'.repeat(5)
  const git = { commit, branch: 'main', message: 'Mend the parser', clean: false }
  const plan = { ...PLAN, git, activeGit: { commit: '0'.repeat(40), message: 'Begin', clean: true } }
  const { container } = renderInApp(<PlanDiff plan={plan} deletes={[]} onDeletes={() => undefined} />)
  const [next, active] = [...container.querySelectorAll('p')].map(({ textContent }) => textContent)
  expect(next).toMatch(/^This code:main1a2b3c4d.*Mend the parserwith changes that are not committed$/)
  expect(active).toMatch(/^Active now:00000000.*Begin$/)
})

test('a plan says what changes from what to what, and deletes only what is ticked', () => {
  renderInApp(<Planned />)
  const [, changed] = screen.getAllByRole('listitem')
  expect(changed?.textContent).toContain('workersMax1→5')
  expect(changed?.textContent).toContain('concurrencynone→2')
  expect(changed?.textContent).toContain('workers stay')
  screen.getByText('The machine has no card.')
  const box = screen.getByRole('checkbox')
  expect(box).toHaveProperty('checked', false)
  fireEvent.click(box)
  expect(document.querySelector('output')?.textContent).toBe('gone')
  fireEvent.click(box)
  expect(document.querySelector('output')?.textContent).toBe('')
})

const progress = (state: 'preparing' | 'active' | 'failed', more: object = {}): ReleaseProgress => ({
  release: {
    app: 'shop',
    environment: 'production',
    number: 2,
    state,
    fingerprint: 'f',
    pythonVersion: '3.11',
    runsOn: 'processes',
    kind: 'deploy',
    createdAt: NOW,
    ...(state === 'failed' ? { reason: 'endpoint a: it does not start' } : {}),
  },
  steps: [
    {
      resource: 'a',
      action: 'update',
      changes: [],
      replacesWorkers: true,
      state: 'starting',
      note: 'loads its model',
      ...more,
    },
  ],
  warnings: [],
  endpoints: [],
})

describe('a release', () => {
  const PLACE = { app: 'shop', environment: 'production' }
  const environment = {
    releases: [],
    variables: [],
    endpoints: [],
    active: { ...progress('active').release, number: 1 },
  }

  test('is followed while it is prepared: what workers do, and when each was ready', async () => {
    const { follows, platform, calls } = renderInApp(<ReleaseCard target={PLACE} number={2} />, {
      releaseRead: progress('preparing'),
      releaseCancel: progress('failed'),
    })
    await screen.findByText('loads its model')
    const follow = follows[0]
    expect(follow).toMatchObject({ operation: 'releaseRead', event: 'release' })
    await act(() => platform.advance(1400))
    await act(async () => follow?.onItems([progress('preparing', { state: 'ready', note: undefined })]))
    const row = within(screen.getByRole('list', { name: 'Endpoints of the release' }))
    row.getByText('Ready')
    row.getByText('1.4 s')
    await act(async () => void fireEvent.click(screen.getByRole('button', { name: 'Cancel release' })))
    expect(calls.map(({ operation }) => operation)).toContain('releaseCancel')
  })

  test('that failed shows the reason and the active release, and is no longer polled', async () => {
    const { follows } = renderInApp(<ReleaseCard target={PLACE} number={2} />, {
      releaseRead: progress('failed', { state: 'failed' }),
      environmentRead: environment,
    })
    await screen.findByText(/Endpoint a: it does not start\.\s+Release 1 stays live/)
    expect(follows).toEqual([])
  })
})

describe('a build', () => {
  const view = (state: BuildView['state']): BuildView => ({
    state,
    startedAt: NOW,
    steps: [
      { step: 'scan', state: 'done', tookMs: 320, text: '4 endpoints' },
      { step: 'install', state: 'running', text: 'Downloading torch' },
    ],
    problems: [],
    warnings: [],
  })

  test('shows all its steps from the beginning, with the newest line of each', () => {
    renderInApp(<BuildSteps build={view('running')} />)
    const rows = screen.getAllByRole('listitem')
    expect(rows).toHaveLength(6)
    expect(rows[0]?.textContent).toContain('Done4 endpoints320 ms')
    expect(rows[3]?.textContent).toContain('RunningDownloading torch')
    expect(rows[5]?.textContent).toContain('Waiting')
  })

  test('that ended marks the steps that did not run', () => {
    renderInApp(<BuildSteps build={view('failed')} />)
    expect(screen.getAllByRole('listitem')[5]?.textContent).toContain('Not run')
  })
})

function WithExcludes() {
  const excludes = useExcludes('p')
  const suggestion = {
    path: 'torch',
    bytes: 5_000_000,
    how: 'exclude',
    entry: 'torch',
    why: 'No file imports it.',
  } as const
  return (
    <>
      <Suggestions suggestions={[suggestion]} excluded={excludes.names} onExclude={excludes.add} />
      <ExcludedList excludes={excludes} />
    </>
  )
}

test('a package is excluded with a click, remembered, and included again', () => {
  const { platform } = renderInApp(<WithExcludes />)
  fireEvent.click(screen.getByRole('button', { name: 'Leave torch out' }))
  expect(platform.preferences.get('exclude.p')).toBe('torch')
  screen.getByText('left out of the next build')
  fireEvent.click(screen.getByRole('button', { name: 'Include torch again' }))
  expect(platform.preferences.get('exclude.p')).toBe('')
})

test('a long list of problems shows the first, and the others at a press', () => {
  const problems = Array.from({ length: 9 }, (_one, at) => ({
    code: 'X',
    message: `wrong ${at}`,
    file: 'a.py',
    line: at,
  }))
  renderInApp(<ProblemList label="Problems" problems={problems} kind="problem" />)
  expect(screen.getAllByRole('listitem')).toHaveLength(4)
  fireEvent.click(screen.getByRole('button', { name: '5 more' }))
  expect(screen.getAllByRole('listitem')).toHaveLength(9)
  screen.getByText('a.py:8')
})

const PREVIEWED: ProjectDetail = {
  id: 'p',
  folder: '/shop',
  app: 'shop',
  isThere: true,
  openedAt: NOW,
  preview: 'live',
  problems: [],
  warnings: [],
  calls: [],
  places: {},
}
const LIVE_PREVIEW: PreviewView = {
  state: 'live',
  startedAt: NOW,
  url: 'http://127.0.0.1:1',
  release: 1,
  steps: [],
  endpoints: [
    {
      resource: 'greet',
      id: 'greet-1',
      loadBalanced: false,
      url: 'http://127.0.0.1:1/v2/greet-1',
      routes: [],
      functions: ['greet'],
    },
  ],
  problems: [],
  notes: [],
}

test('a folder that was built and deployed by commands names the release that answers', async () => {
  const release = {
    app: 'shop',
    environment: 'staging',
    number: 3,
    state: 'active' as const,
    fingerprint: 'f',
    pythonVersion: '3.12',
    runsOn: 'processes' as const,
    kind: 'deploy' as const,
    createdAt: NOW - 60_000,
  }
  const environment = { app: 'shop', name: 'staging', createdAt: NOW, active: release, endpoints: 1, variables: 0 }
  renderInApp(<BuildTab project={PREVIEWED} />, {
    projectList: { projects: [] },
    appList: { apps: [{ name: 'shop', createdAt: NOW, environments: [environment] }] },
  })
  const link = await screen.findByRole('link', { name: 'Release 3 in staging' })
  expect(link.parentElement?.textContent).toBe(
    'No build was started on this page since the service started; builds by commands are not shown here. Release 3 in staging, deployed 1 min ago, has its own build.',
  )
})

test('the pages of a preview, and those of each of its endpoints, open in a window of their own, by a link that is made for it', async () => {
  const { platform } = renderInApp(<PreviewTab project={PREVIEWED} />, {
    previewRead: LIVE_PREVIEW,
    previewLink: { url: 'http://127.0.0.1:1/sign-in?code=once', expiresAt: NOW, sameUser: false },
  })
  const press = (name: string) => act(async () => void fireEvent.click(screen.getByRole('button', { name })))
  await screen.findByRole('list', { name: 'Addresses' })
  for (const name of ['Open its pages', 'Send request', 'Workers', 'Logs', 'greet']) await press(name)
  expect(platform.opened.map((address) => new URL(address).searchParams.get('to'))).toEqual([
    null,
    '/endpoints/greet-1/requests',
    '/endpoints/greet-1/workers',
    '/endpoints/greet-1/logs',
    '/endpoints/greet-1',
  ])
  expect(platform.opened[1]).toBe('http://127.0.0.1:1/sign-in?code=once&to=%2Fendpoints%2Fgreet-1%2Frequests')
})
