/**
 * Delivers webhooks from the durable queue with limited concurrency: three tries 10 s apart, all recorded, also after a
 * restart. Source: docs/spec/job-api.md, 6.
 */
import { limit } from '../../contract/limits.ts'
import type { ServiceSettings } from '../../contract/management.ts'
import { joinedJson } from '../../http/body-text.ts'
import type { Clock, Log } from '../../lib/clock.ts'
import { createEmitter } from '../../lib/emitter.ts'
import type { Json } from '../../lib/json/bytes.ts'
import type { DeliveryResult, DueDelivery, Job, JobStore, Storage } from '../../storage/storage.ts'
import type { Traces } from '../monitoring/traces.ts'
import type { Poster } from './ports/post.ts'
import { jobRecordPieces } from './rules/job-record.ts'
import { isFinal } from './rules/transitions.ts'

export type DeliverDeps = {
  readonly storage: Storage
  readonly clock: Clock
  readonly log: Log
  readonly post: Poster
  readonly settings: () => ServiceSettings
  readonly traces: Pick<Traces, 'webhook'>
}

const AT_ONCE = 8

export class WebhookDelivery {
  readonly #deps: DeliverDeps
  readonly #underWay = new Map<number, Promise<void>>()
  readonly #stops = createEmitter()
  #cancelTimer: (() => void) | undefined
  #stopped = true

  constructor(deps: DeliverDeps) {
    this.#deps = deps
    deps.storage.onDurable((changes) => {
      if (
        changes.some((change) => change.type === 'job' && change.job.webhook !== null && change.job.finishedAt !== null)
      )
        this.deliverDue()
    })
  }

  start(): void {
    this.#stopped = false
    this.deliverDue()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#cancelTimer?.()
    this.#stops.emit()
    await Promise.all(this.#underWay.values())
  }

  deliverDue(): void {
    if (this.#stopped) return
    const { storage, clock } = this.#deps
    this.#cancelTimer?.()
    const due = storage.webhooks
      .due(clock.steady(), AT_ONCE + this.#underWay.size)
      .filter(({ id }) => !this.#underWay.has(id))
    for (const delivery of due.slice(0, AT_ONCE - this.#underWay.size)) {
      const work = this.#deliver(delivery).finally(() => {
        this.#underWay.delete(delivery.id)
        this.deliverDue()
      })
      this.#underWay.set(delivery.id, work)
    }
    if (this.#underWay.size >= AT_ONCE) return
    const nextAt = storage.webhooks.nextDueAt()
    if (nextAt === undefined) return
    const wait = Math.max(nextAt - clock.steady(), this.#underWay.size > 0 ? 1000 : 0)
    this.#cancelTimer = clock.after(wait, () => this.deliverDue())
  }

  async #deliver({ id, seq, url, attempts }: DueDelivery): Promise<void> {
    const { storage, clock, log } = this.#deps
    const job = storage.jobs.read(seq)
    if (job === undefined) return
    if (!isFinal(job.status)) {
      // The job was retried: the report is outdated, and its next end is reported again.
      const error = 'the job was retried before this was delivered'
      return this.#record(id, job.id, { delivered: false, status: undefined, error, nextAt: undefined })
    }
    await storage.durable()
    const from = clock.now()
    const { status, error } = await this.#send(job, url)
    const result = evaluateTry({ status, error, tries: attempts + 1, steady: clock.steady() })
    if (!result.delivered)
      log.warn('webhook not delivered', { jobId: job.id, try: attempts + 1, status, reason: result.error })
    this.#deps.traces.webhook({ job, n: attempts + 1, from, status, error: result.error })
    await this.#record(id, job.id, result)
  }

  async #send(job: Job, url: string): ReturnType<Poster> {
    const { storage, post, settings } = this.#deps
    let body: Json
    try {
      body = await readWebhookBody(storage.jobs, job)
    } catch (error) {
      return { status: undefined, error: (error as Error).message }
    }
    return post({
      url,
      body,
      timeoutMs: limit('webhookTimeoutMs'),
      maxResponseBytes: limit('webhookAnswerBytes'),
      allowPrivate: settings().webhooksToPrivateAddresses,
    })
  }

  async #record(id: number, jobId: string, result: DeliveryResult): Promise<void> {
    const { storage, clock, log } = this.#deps
    try {
      await storage.write(() => storage.webhooks.record(id, result, clock.now()))
    } catch (error) {
      log.error('webhook try not recorded', { jobId, error })
      await this.#pause(limit('webhookRetryMs')) // it is still due: without a pause its target would be flooded
    }
  }

  #pause(ms: number): Promise<void> {
    if (this.#stopped) return Promise.resolve()
    return new Promise((resolve) => {
      const end = () => {
        cancel()
        stopListening()
        resolve()
      }
      const cancel = this.#deps.clock.after(ms, end)
      const stopListening = this.#stops.on(end)
    })
  }
}

/** 200 is a success; anything else is retried while tries are left. */
function evaluateTry(facts: {
  readonly status: number | undefined
  readonly error: string | undefined
  readonly tries: number
  readonly steady: number
}): DeliveryResult {
  const { status, error, tries, steady } = facts
  if (status === 200) return { delivered: true, status, error: undefined, nextAt: undefined }
  const nextAt = tries < limit('webhookAttempts') ? steady + limit('webhookRetryMs') : undefined
  return { delivered: false, status, error: error ?? `the target answered ${status}, not 200`, nextAt }
}

async function readWebhookBody(jobs: Pick<JobStore, 'readInput' | 'readOutput'>, job: Job): Promise<Json> {
  const input = (await jobs.readInput(job))?.input
  const webhook = job.webhook ?? undefined
  return joinedJson(jobRecordPieces({ ...job, output: await jobs.readOutput(job), input, webhook }))
}
