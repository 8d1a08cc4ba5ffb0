import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { DeployedEndpoint } from '../../../../src-main/contract/app.ts'
import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import { SEND_METHODS } from '../../../../src-main/contract/requests.ts'
import { exampleRequest, firstRoute } from '../../../../src-main/features/apps/rules/examples.ts'
import { environmentQuery } from '../../../api-client/app-queries.ts'
import { staysBelow } from '../../../api-client/client.ts'
import { useApp } from '../../../store/app-context.ts'
import { useDraft } from '../draft.ts'

export const METHODS = SEND_METHODS

export const BODY_KINDS = ['none', 'JSON', 'text', 'file'] as const

export type WebDraft = {
  readonly method: (typeof METHODS)[number]
  readonly path: string
  /** Lines of `Name: value`. */
  readonly headers: string
  readonly bodyKind: (typeof BODY_KINDS)[number]
  readonly body: string
}

export const EMPTY_WEB_DRAFT: WebDraft = { method: 'GET', path: '/', headers: '', bodyKind: 'none', body: '{}' }

export function draftOfRoute(route: string, endpoint: Pick<DeployedEndpoint, 'examples'>): Partial<WebDraft> {
  const { method, path, body } = exampleRequest(route, endpoint)
  const known = METHODS.find((one) => one === method) ?? 'GET'
  return {
    method: known,
    path,
    ...(body === undefined ? {} : { bodyKind: 'JSON', body: JSON.stringify(body, null, 2) }),
  }
}

type HeaderPair = readonly [name: string, value: string]

// Browsers set these themselves and ignore values from pages.
const OF_THE_BROWSER =
  /^(host|content-length|connection|cookie|origin|referer|date|expect|te|trailer|transfer-encoding|upgrade|via|keep-alive|accept-(charset|encoding)|(sec|proxy)-.*)$/i
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

export function readHeaders(text: string): {
  readonly pairs: readonly HeaderPair[]
  readonly problem: string | undefined
} {
  const pairs: HeaderPair[] = []
  for (const line of text.split('\n').filter((one) => one.trim() !== '')) {
    const [name = '', ...rest] = line.split(':')
    if (rest.length === 0 || !NAME.test(name.trim()))
      return { pairs, problem: `“${line.trim()}” is not a header. Write Name: value.` }
    if (OF_THE_BROWSER.test(name.trim()))
      return { pairs, problem: `${name.trim()} is set by the browser. Send it with the sample for curl.` }
    if (/^authorization$/i.test(name.trim()))
      return { pairs, problem: 'Authorization holds the key of the service; workers never see it.' }
    pairs.push([name.trim(), rest.join(':').trim()])
  }
  return { pairs, problem: undefined }
}

export function webProblem(
  { path, headers, bodyKind, body, method }: WebDraft,
  file: File | undefined,
): string | undefined {
  if (!/^\/[^\s#]*$/.test(path)) return 'A path begins with / and holds no spaces and no #; write %20 and %23 for them.'
  if (!staysBelow(path)) return 'Browsers resolve .. in a path. Send it with the sample for curl.'
  const { problem } = readHeaders(headers)
  if (problem !== undefined) return problem
  if (!hasBody({ method, bodyKind })) return undefined
  if (bodyKind === 'file') return file === undefined ? 'Choose the file to send.' : undefined
  return bodyKind === 'JSON' ? jsonProblem(body) : undefined
}

/** Requests with GET and HEAD cannot have a body. */
export function hasBody({ method, bodyKind }: Pick<WebDraft, 'method' | 'bodyKind'>): boolean {
  return bodyKind !== 'none' && method !== 'GET' && method !== 'HEAD'
}

/** All headers sent, with the body's content type if none is given. */
export function sentHeaders(draft: WebDraft, file: File | undefined): readonly HeaderPair[] {
  const { pairs } = readHeaders(draft.headers)
  const typed = pairs.some(([name]) => /^content-type$/i.test(name))
  if (typed || !hasBody(draft)) return pairs
  return [...pairs, ['Content-Type', TYPES[draft.bodyKind] ?? (file?.type || 'application/octet-stream')]]
}

const TYPES: Readonly<Partial<Record<WebDraft['bodyKind'], string>>> = {
  JSON: 'application/json',
  text: 'text/plain;charset=UTF-8',
}

function jsonProblem(text: string): string | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    return `Not valid JSON yet: ${(error as Error).message}`
  }
}

export function useDeclaredRoutes(app: LiveEndpoint['app']): DeployedEndpoint | undefined {
  const { client } = useApp()
  const { name = '', environment = '', resource } = app ?? {}
  const { data } = useQuery({ ...environmentQuery(client, { app: name, environment }), enabled: app !== undefined })
  return data?.endpoints.find((endpoint) => endpoint.resource === resource)
}

export function useWebDraft({ id, app }: Pick<LiveEndpoint, 'id' | 'app'>): ReturnType<typeof useDraft<WebDraft>> {
  const declared = useDeclaredRoutes(app)
  const initial = useMemo(() => {
    const route = firstRoute(declared?.routes ?? [])
    return declared === undefined || route === undefined
      ? EMPTY_WEB_DRAFT
      : { ...EMPTY_WEB_DRAFT, ...draftOfRoute(route, declared) }
  }, [declared])
  return useDraft('web', id, initial)
}
