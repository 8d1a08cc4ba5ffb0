/** Projects on a real service: opened from an example, built, previewed and deployed over HTTP. */
import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import type { BuildView, PreviewView } from '../../src-main/contract/projects.ts'
import { processesMarked, type SeenProcess, signal } from '../support/process-table.ts'
import { type ServedService, servedService, until, type WhenOver } from '../support/served-service.ts'

/** An opened project. */
export type OpenedProject = {
  readonly id: string
  /** Path of its routes. */
  readonly at: string
  readonly folder: string
  readonly write: (file: string, text: string) => void
  /** Replaces a text in a file of the project. */
  readonly edit: (file: string, from: string, to: string) => void
  /** Builds, follows the build and gives all views that were told. */
  readonly build: (request?: object) => Promise<readonly BuildView[]>
  readonly preview: () => Promise<PreviewView>
  /** Waits until the preview is in this state, with this release. */
  readonly previewIs: (state: PreviewView['state'], release?: number) => Promise<PreviewView>
}

/** A service with projects. */
export type ProjectService = {
  readonly service: ServedService
  readonly open: (name: string, from?: string) => Promise<OpenedProject>
  /** Begins to read an answer of events; what it gives reads it to its end. */
  readonly follow: <View>(path: string) => Promise<() => Promise<readonly View[]>>
  /** Living processes of the service and of all that it started. */
  readonly processes: () => readonly SeenProcess[]
  /** Names of the folders that previews have now. */
  readonly previewFolders: () => readonly string[]
  /** Asks the service of a preview with its own key. */
  // biome-ignore lint/suspicious/noExplicitAny: tests compare what comes with what is expected, whatever its form
  readonly askPreview: (view: PreviewView, method: string, path: string, body?: unknown) => Promise<any>
}

/**
 * Starts a service whose workers are processes. @param env further variables of it
 * @param whenOver registers clean-ups; a service for several tests ends later
 */
export async function projectService(
  env: Readonly<Record<string, string>> = {},
  whenOver: WhenOver = (end) => onTestFinished(end),
): Promise<ProjectService> {
  const service = servedService(undefined, whenOver)
  const mark = { name: 'PROJECT_TEST_MARK', value: randomUUID() }
  const processes = () => processesMarked(`${mark.name}=${mark.value}`)
  whenOver(async () => {
    for (const { pid } of processes()) signal(pid, 'SIGKILL')
    await until(() => expect(processes()).toEqual([]))
  })
  await service.start({ env: { DOCKER_HOST: 'unix:///nowhere/docker.sock', [mark.name]: mark.value, ...env } })
  const previews = join(service.data, 'previews')

  async function follow<View>(path: string): Promise<() => Promise<readonly View[]>> {
    const key = readFileSync(join(service.data, 'account.key'), 'utf8').trim()
    const answer = await fetch(`${service.url()}${path}?follow=true`, { headers: { authorization: `Bearer ${key}` } })
    return async () => {
      const text = await answer.text()
      return text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6)) as View] : []))
    }
  }

  async function open(name: string, from?: string): Promise<OpenedProject> {
    const { id, folder } = await service.post('/api/projects', { folder: join(service.folder, name), from })
    const at = `/api/projects/${id}`
    const preview = (): Promise<PreviewView> => service.get(`${at}/preview`)
    // In one step: whoever watches the project must not find half of a file.
    const write = (file: string, text: string) => {
      const whole = join(service.folder, 'whole')
      writeFileSync(whole, text)
      renameSync(whole, join(folder, file))
    }
    return {
      id,
      at,
      folder,
      write,
      edit(file, text, other) {
        const before = readFileSync(join(folder, file), 'utf8')
        expect(before).toContain(text)
        write(file, before.replace(text, other))
      },
      async build(request = {}) {
        await service.post(`${at}/build`, request)
        const rest = await follow<BuildView>(`${at}/build`)
        return rest()
      },
      preview,
      previewIs: (state, release) =>
        until(async () => {
          const view = await preview()
          expect(view).toMatchObject({ state, ...(release === undefined ? {} : { release }) })
          return view
        }),
    }
  }

  async function askPreview({ url }: PreviewView, method: string, path: string, body?: unknown) {
    const folder = readdirSync(previews).find((name) => {
      const file = join(previews, name, 'service.json')
      return existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).url === url
    })
    const key = readFileSync(join(previews, folder ?? '', 'account.key'), 'utf8').trim()
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return answer.json()
  }

  const previewFolders = () => (existsSync(previews) ? readdirSync(previews) : [])
  return { service, open, follow, processes, previewFolders, askPreview }
}
