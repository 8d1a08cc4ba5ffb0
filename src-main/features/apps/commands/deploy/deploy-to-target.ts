/** Deploys to a target: built here, sent by the caller's service, which has the target's key. */
import { readFile } from 'node:fs/promises'
import { confirmChange, confirmDeletion } from '../../../../app/cli/ask.ts'
import { CliError } from '../../../../app/cli/cli-error.ts'
import { SIGNAL_EXITS } from '../../../../app/cli/interrupt.ts'
import { size } from '../../../../app/cli/output.ts'
import type { Session } from '../../../../app/cli/session.ts'
import type { Surroundings } from '../../../../app/cli/surroundings.ts'
import type { Manifest } from '../../../../contract/manifest.ts'
import {
  type TargetDeploy,
  type TargetDeployCreate,
  type TargetPlan,
  targetDeploy,
} from '../../../../contract/targets.ts'
import { chooseEnvironment } from '../../rules/app-environment.ts'
import { earlierCode } from '../../rules/earlier-code.ts'
import { builtApp, runBuild, showBuildSteps, showBuildWarnings } from '../build-app.ts'
import { appOf, checkedApp, checkedEnvironment, type TargetOptions } from './app-target.ts'
import { changesNothing, chooseDeletes, type DeployOptions, upload } from './deploy-app.ts'
import { showPlan, showReleaseSteps } from './show-release.ts'

type Place = { readonly target: string; readonly app: string; readonly environment: string }

/**
 * Nothing that serves at the target changes before activation.
 * @throws CliError as the steps do, TARGET_DEPLOY_FAILED, ABANDONED
 */
export async function deployToTarget(
  options: DeployOptions & { readonly target: string; readonly withKey?: true },
  session: Session,
  surroundings: Surroundings,
  build = runBuild,
): Promise<void> {
  const { client, output } = session
  // Before the build, which may take minutes, so that a wrong name or unreachable target is reported at once.
  const place = await placeOf(session, checkedApp(builtApp(surroundings)), options)
  const built = await build(options, output, surroundings)
  if (!output.json) showBuildWarnings(output, built)
  const manifest: Manifest = JSON.parse(await readFile(built.manifest, 'utf8'))
  const wanted = { source: { artifact: built.sha256, manifest }, withKey: options.withKey === true }
  const plan = await client.call('targetPlan', { path: place, body: wanted })
  if (!output.json) showPlan(output, plan, `target ${place.target}`)
  if (options.plan === true) {
    if (output.json) output.document({ plan })
    return
  }
  const repeated = wanted.withKey || !changesNothing(plan) ? undefined : await activeDeploy(session, place)
  if (repeated?.artifact === built.sha256) {
    const { app, environment, target } = place
    output.result(
      { plan, deploy: null },
      `\nNothing changed, so nothing was deployed. Deploy ${repeated.number} of ${output.paint('bold', `${app}/${environment}`)} is active on target ${target}.`,
    )
    return
  }
  const deletes = await chooseDeletes(plan, options, { output, surroundings })
  if (!output.json) output.line()
  await upload(session, surroundings, built)
  await runOnTarget(session, surroundings, { place, plan, body: { ...wanted, deletes: [...deletes] } })
}

/**
 * @param number of the deploy; by default the last with code other than the active one
 * @throws CliError NO_EARLIER_DEPLOY; as `deployToTarget`
 */
export async function rollbackOnTarget(
  number: number | undefined,
  options: TargetOptions & { readonly target: string; readonly yes?: true },
  session: Session,
  surroundings: Surroundings,
): Promise<void> {
  const { client, output } = session
  const place = await placeOf(session, appOf(options.app, surroundings), options)
  const deploy = number ?? (await lastOther(session, place))
  if (deploy === undefined) throw new CliError('NO_EARLIER_DEPLOY', place)
  const body = { source: { deploy } }
  const plan = await client.call('targetPlan', { path: place, body })
  if (!output.json) {
    const { app, environment, target } = place
    output.line(`${output.paint('bold', `${app}/${environment}`)} of target ${target} rolls back to deploy ${deploy}.`)
    showPlan(output, plan, `target ${target}`)
    output.line()
  }
  await confirmChange({ yes: options.yes, question: `Roll back to deploy ${deploy}?` }, output, surroundings)
  await runOnTarget(session, surroundings, { place, plan, body })
}

export async function undeployFromTarget(
  options: TargetOptions & { readonly target: string; readonly yes?: true },
  session: Session,
  surroundings: Surroundings,
): Promise<void> {
  const { client, output } = session
  const place = await placeOf(session, appOf(options.app, surroundings), options)
  const { target, app, environment: name } = place
  const of = `${app}/${name} on target ${target}`
  const { environments } = await client.call('targetAppRead', { path: { target, app } })
  const environment = environments.find((one) => one.name === name)
  if (environment !== undefined) {
    const steps = environment.endpoints.map((resource) => ({
      resource,
      action: 'delete' as const,
      changes: [],
      replacesWorkers: false,
    }))
    if (!output.json) showPlan(output, { app, environment: name, makes: [], steps, warnings: [] }, `target ${target}`)
    const whole = environments.length === 1 ? 'app' : 'environment'
    if (!output.json) output.line(`The ${whole} goes with its variables, its builds and all jobs.`)
    const question = `Delete ${of}?`
    await confirmDeletion({ yes: options.yes, what: of, question }, output, surroundings)
  }
  const { deleted, app: left } = await client.call('targetUndeploy', { path: place })
  if (output.json) return output.document({ deleted, app: left })
  if (environment === undefined) return output.line(`${of} is not there.`)
  output.line(`deleted ${[...deleted, of].join(', ')}`)
  const names = left.environments.map((one) => one.name)
  output.line(left.isThere ? `${app} still has ${names.join(', ')} there.` : `Nothing of ${app} is left there.`)
}

async function placeOf(
  { client }: Session,
  app: string,
  { target, env }: { readonly target: string; readonly env?: string },
): Promise<Place> {
  if (env !== undefined) checkedEnvironment(env)
  const { environments } = await client.call('targetAppRead', { path: { target, app } })
  const existing = environments.map(({ name }) => name)
  return { target, app, environment: chooseEnvironment(env, existing) }
}

async function deploysOf({ client }: Session, place: Place) {
  const { target, app, environment } = place
  const [{ deploys }, { environments }] = await Promise.all([
    client.call('targetDeployList', { path: place }),
    client.call('targetAppRead', { path: { target, app } }),
  ])
  const there = environments.find(({ name }) => name === environment)?.build
  // The platform has no environments for images, so the newest deploy is the active one.
  return { deploys, active: there ?? deploys[0]?.build }
}

async function activeDeploy(session: Session, place: Place) {
  const { deploys, active } = await deploysOf(session, place)
  return deploys.find(({ build }) => build === active)
}

async function lastOther(session: Session, place: Place): Promise<number | undefined> {
  const { deploys, active } = await deploysOf(session, place)
  return earlierCode(
    deploys.find(({ build }) => build === active),
    deploys,
  )?.number
}

type Deploying = {
  readonly place: Place
  readonly plan: TargetPlan
  readonly body: Partial<TargetDeployCreate> & Pick<TargetDeployCreate, 'source'>
}

export async function runOnTarget(
  session: Session,
  surroundings: Surroundings,
  { place, plan, body }: Deploying,
): Promise<TargetDeploy> {
  const { client, output } = session
  const begun = await client.call('targetDeployCreate', { path: place, body })
  const path = { deployId: begun.id }
  let cancelled = false
  const off = surroundings.onStopSignal((signal) => {
    if (cancelled) surroundings.exitNow(SIGNAL_EXITS[signal])
    cancelled = true
    output.note('cancelling the deploy ...')
    // It may end at this moment; the stream reports the result.
    client.call('targetDeployCancel', { path }).catch(() => undefined)
  })
  try {
    const deploy = await follow(session, surroundings, begun)
    if (deploy.state === 'failed') throw failure(deploy, cancelled)
    output.result({ plan, deploy }, () => showActive(session, deploy))
    return deploy
  } finally {
    off()
  }
}

async function follow(
  { client, output }: Session,
  surroundings: Surroundings,
  begun: TargetDeploy,
): Promise<TargetDeploy> {
  const show = showProgress(output, surroundings)
  let deploy = begun
  try {
    while (deploy.state === 'running') {
      const path = { deployId: begun.id }
      for await (const { event, data } of client.follow('targetDeployRead', { path, query: { follow: 'true' } })) {
        if (event !== 'deploy') continue
        deploy = targetDeploy.parse(JSON.parse(data))
        show.report(deploy)
      }
    }
    return deploy
  } finally {
    show.end()
  }
}

function showProgress(output: Session['output'], surroundings: Surroundings) {
  const sending = showBuildSteps(output, surroundings)
  const steps = showReleaseSteps(output, surroundings)
  const startedAt = surroundings.now()
  let lines = 0
  let isSent = false
  return {
    end: sending.end,
    report({ phase, sentBytes, totalBytes, log, steps: now }: TargetDeploy) {
      for (const line of log.slice(lines)) output.note(line)
      lines = log.length
      if (phase === 'begin') return
      if (phase === 'upload') {
        const text = `${size(sentBytes)} of ${size(totalBytes)}, ${Math.floor((100 * sentBytes) / totalBytes)} %`
        sending.report({ kind: 'progress', step: 'send', text })
        return
      }
      if (!isSent && totalBytes > 0) {
        const tookMs = surroundings.now() - startedAt
        sending.report({ kind: 'ended', step: 'send', tookMs, summary: size(totalBytes) })
      }
      isSent = true
      steps.report(now)
    },
  }
}

function failure(deploy: TargetDeploy, cancelled: boolean): CliError {
  const { target, reason: why = 'no reason was given.' } = deploy
  if (cancelled) return new CliError('ABANDONED', { why: `The deploy to target ${target} ended: ${why}` })
  const { message } = new CliError('TARGET_DEPLOY_FAILED', { target, why })
  const body = { error: message, code: 'TARGET_DEPLOY_FAILED', deploy }
  return new CliError('TARGET_DEPLOY_FAILED', { target, why }, { body })
}

function showActive({ output }: Session, { target, app, environment, number, endpoints }: TargetDeploy): void {
  output.line()
  output.line(`Deploy ${number} of ${output.paint('bold', `${app}/${environment}`)} is active on target ${target}.`)
  output.line()
  output.table(
    ['ENDPOINT', 'WORKERS', 'ADDRESS'],
    endpoints.map(({ resource, state, url }) => [resource, state, url]),
  )
}
