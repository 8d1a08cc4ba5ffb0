import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createServiceClient } from '../../src-main/app/client/service-client.ts'
import type { Ended } from '../../src-main/app/desktop/ended-work.ts'
import { followService, type JobCounts } from '../../src-main/app/desktop/follow-service.ts'
import { systemTime } from '../../src-main/http/server/system-ports.ts'
import { appProject } from '../apps/support.ts'
import { until } from './support.ts'

test('a deploy is reported once it finishes', async () => {
  const { service, deploy } = await appProject()
  const key = readFileSync(join(service.data, 'account.key'), 'utf8').trim()
  const counts: JobCounts[] = []
  const ended: Ended[] = []
  const over = new AbortController()
  onTestFinished(() => over.abort())
  void followService(createServiceClient({ url: service.url(), key }), {
    key,
    // Deploys before the first check are ignored, so this shortens the delay before it.
    after: (ms, run) => systemTime.after(ms / 100, run),
    listener: { onCounts: (now) => counts.push(now), onEnded: (one) => ended.push(one) },
    signal: over.signal,
  })
  await until(() => expect(counts).toEqual([{ running: 0, waiting: 0 }]))
  await deploy()
  await until(() =>
    expect(ended).toEqual([{ kind: 'release', app: 'demo', environment: 'production', number: 1, failed: false }]),
  )
})
