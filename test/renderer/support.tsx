/** Support for tests of the pages: a platform with a stopped clock, and components inside the app. */

import * as Tooltip from '@radix-ui/react-tooltip'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, configure, render, renderHook } from '@testing-library/react'
import type { ReactNode } from 'react'
import { onTestFinished, vi } from 'vitest'
import { endpointConfig, type WorkerView } from '../../src-main/contract/endpoint.ts'
import type { LiveEndpoint, ServiceEvent } from '../../src-main/contract/live.ts'
import type { ApiClient, FollowOptions } from '../../src-renderer/api-client/client.ts'
import type { NumberedEvent } from '../../src-renderer/api-client/event-stream.ts'
import { useShortcuts } from '../../src-renderer/app/general-commands.ts'
import type { Platform } from '../../src-renderer/browser/platform.ts'
import { followEvents } from '../../src-renderer/live/follow-events.ts'
import { liveQueries } from '../../src-renderer/live/live-queries.ts'
import { AppContext } from '../../src-renderer/store/app-context.ts'
import { createAppStore } from '../../src-renderer/store/app-store.ts'
import { PATIENCE_MS } from '../support/patience.ts'

/** The time of every test, ms since the epoch. */
export const NOW = 1_790_000_000_000

configure({ asyncUtilTimeout: PATIENCE_MS })

/** Waits until `look` no longer throws, and gives what it returned. */
export const until = <T,>(look: () => T | Promise<T>): Promise<T> => vi.waitFor(look, { timeout: PATIENCE_MS })

/** A platform that a test leads. */
export type TestPlatform = Platform & {
  /** Lets time pass, timer by timer, with the promises that each of them settles. */
  readonly advance: (ms: number) => Promise<void>
  readonly show: (visible: boolean) => void
  /** Makes room for a preview and the names of the sidebar. */
  readonly widen: () => void
  readonly copied: readonly string[]
  /** Addresses that were opened in windows of their own. */
  readonly opened: readonly string[]
  readonly preferences: Map<string, string>
}

/** Makes the platform. */
export function testPlatform(): TestPlatform {
  let now = NOW
  let visible = true
  let wide = false
  const wideners = new Set<() => void>()
  const timers = new Set<{ readonly at: number; readonly run: () => void }>()
  const seers = new Set<() => void>()
  const copied: string[] = []
  const opened: string[] = []
  const preferences = new Map<string, string>()
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve))
  const nextUntil = (end: number) =>
    [...timers].filter(({ at }) => at <= end).sort((one, other) => one.at - other.at)[0]
  return {
    now: () => now,
    after(ms, run) {
      const timer = { at: now + ms, run }
      timers.add(timer)
      return () => void timers.delete(timer)
    },
    copy: async (text) => void copied.push(text),
    openWindow: (address) => void opened.push(address),
    readPreference: (name) => preferences.get(name),
    writePreference: (name, value) => void preferences.set(name, value),
    isVisible: () => visible,
    onVisibility(listener) {
      seers.add(listener)
      return () => void seers.delete(listener)
    },
    prefersDark: () => false,
    onPrefersDark: () => () => undefined,
    isWide: () => wide,
    onWide(listener) {
      wideners.add(listener)
      return () => void wideners.delete(listener)
    },
    widen() {
      wide = true
      for (const listener of [...wideners]) listener()
    },
    async advance(ms) {
      const end = now + ms
      await settle()
      for (let timer = nextUntil(end); timer !== undefined; timer = nextUntil(end)) {
        now = timer.at
        timers.delete(timer)
        timer.run()
        await settle()
      }
      now = end
    },
    show(seen) {
      visible = seen
      for (const listener of [...seers]) listener()
    },
    copied,
    opened,
    preferences,
  }
}

/** Answers of the service by operation: a value, or a function of the arguments of the call. */
export type TestAnswers = Readonly<Record<string, unknown>>

/** A client that answers without a service; it notes each call and each follow. */
export function testClient(answers: TestAnswers) {
  const calls: { readonly operation: string; readonly args: unknown }[] = []
  const follows: FollowOptions<unknown>[] = []
  const follow = (options: FollowOptions<unknown>) => {
    follows.push(options)
    return () => void follows.splice(follows.indexOf(options), 1)
  }
  const call = async (operation: string, args: unknown) => {
    calls.push({ operation, args })
    const answer = answers[operation]
    return typeof answer === 'function' ? answer(args) : answer
  }
  return { calls, follows, client: { call, follow } as unknown as ApiClient }
}

// A page that nobody draws does not scroll; some tests run without a page.
if ('Element' in globalThis) Element.prototype.scrollIntoView ??= () => undefined

const NO_OVERLAY = { openPalette: () => undefined, openSheet: () => undefined, isOpen: false }

// The keys of lists and commands, as the frame of the pages hears them.
function Shortcuts() {
  useShortcuts(NO_OVERLAY)
  return null
}

// The surroundings of components, as in the pages, with queries that follow the events of the store.
function setUpApp(answers: TestAnswers) {
  const platform = testPlatform()
  const store = createAppStore(platform)
  const { client, calls, follows } = testClient(answers)
  onTestFinished(cleanup)
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  onTestFinished(followEvents(store, liveQueries(queries, platform)))
  const wrapper = ({ children }: { readonly children: ReactNode }) => (
    <AppContext value={{ store, client, platform }}>
      <QueryClientProvider client={queries}>
        <Tooltip.Provider>
          {children}
          <Shortcuts />
        </Tooltip.Provider>
      </QueryClientProvider>
    </AppContext>
  )
  return { wrapper, services: { store, platform, client, calls, follows } }
}

/** Draws a component as the pages do. */
export function renderInApp(component: ReactNode, answers: TestAnswers = {}) {
  const { wrapper, services } = setUpApp(answers)
  return { ...render(component, { wrapper }), ...services }
}

/** Calls a hook as a component of the pages does. */
export function renderHookInApp<Result>(hook: () => Result, answers: TestAnswers = {}) {
  const { wrapper, services } = setUpApp(answers)
  return { ...renderHook(hook, { wrapper }), ...services }
}

/** An endpoint as the service shows it. */
export function anEndpoint(id: string, more: Partial<LiveEndpoint> = {}): LiveEndpoint {
  const config = endpointConfig.parse({ name: id, handler: '/h.py' })
  const times = { createdAt: NOW, updatedAt: NOW }
  return {
    ...config,
    id,
    paused: false,
    ...times,
    url: `http://127.0.0.1:8790/v2/${id}`,
    state: 'asleep',
    inQueue: 0,
    inProgress: 0,
    ...more,
  }
}

/** A worker as the service shows it. */
export function aWorker(id: string, endpointId: string, more: Partial<WorkerView> = {}): WorkerView {
  return { id, endpointId, state: 'idle', startedAt: NOW, jobs: [], jobsDone: 0, ...more }
}

type JobEvent = Extract<ServiceEvent, { type: 'job' }>

/** A move of a job, as an event. */
export function jobMoved(id: number, jobId: string, more: Partial<JobEvent>): NumberedEvent {
  const event: JobEvent = {
    type: 'job',
    at: NOW,
    endpointId: 'e',
    jobId,
    event: 'x',
    to: 'IN_QUEUE',
    attempt: 1,
    ...more,
  }
  return { id, event }
}

/** Gives elements a size, which a page that nobody draws has not. @returns takes it away again */
export function giveSizes(): () => void {
  const names = ['offsetHeight', 'offsetWidth', 'clientHeight'] as const
  const before = names.map((name) => Object.getOwnPropertyDescriptor(HTMLElement.prototype, name))
  for (const name of names) Object.defineProperty(HTMLElement.prototype, name, { configurable: true, get: () => 600 })
  return () =>
    names.forEach((name, at) => {
      const old = before[at]
      if (old === undefined) Reflect.deleteProperty(HTMLElement.prototype, name)
      else Object.defineProperty(HTMLElement.prototype, name, old)
    })
}
