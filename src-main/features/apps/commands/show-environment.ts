import type { Colour, Output } from '../../../app/cli/output.ts'
import type { AppView, EnvironmentDetail, ReleaseKind, ReleaseState, ReleaseView } from '../../../contract/app.ts'
import { THIS_MACHINE } from '../../../contract/machines.ts'
import { ago, keepStart } from '../../../lib/text.ts'
import { gitText } from '../rules/git-text.ts'
import { missingText } from '../rules/missing-endpoints.ts'

const STATE_COLOURS = {
  preparing: 'blue',
  active: 'green',
  superseded: 'gray',
  failed: 'red',
} as const satisfies Record<ReleaseState, Colour>

const KIND_TEXTS = {
  deploy: 'Deploy',
  rollback: 'Rollback',
  variables: 'Variables',
} as const satisfies Record<ReleaseKind, string>

// Enough characters of a fingerprint to tell releases apart; source: as in plans.
const FINGERPRINT_SHOWN = 12

export function showEnvironments(output: Output, { name: app, environments }: AppView, now: number): void {
  if (environments.length === 0) {
    output.hint(`App ${app} has no environments yet. Create one: drydock env create production`)
    return
  }
  output.table(
    ['ENVIRONMENT', 'RELEASE', 'ACTIVE', 'ENDPOINTS', 'VARIABLES', 'ON', 'CREATED'],
    environments.map(({ name, active, endpoints, variables, machine = THIS_MACHINE, createdAt }) => [
      name,
      active === undefined ? 'none' : String(active.number),
      active === undefined ? '' : ago(active.activatedAt ?? active.createdAt, now),
      String(endpoints),
      String(variables),
      machine,
      ago(createdAt, now),
    ]),
  )
  for (const { name, missing } of environments)
    if (missing !== undefined) output.hint(`${name}: ${missingText(missing)}.`)
}

export function showEnvironment(output: Output, environment: EnvironmentDetail, now: number): void {
  const { app, name, endpoints, releases, variables } = environment
  output.line(`${output.paint('bold', `${app}/${name}`)}, created ${ago(environment.createdAt, now)}`)
  output.line(`Workers run on ${environment.machine ?? THIS_MACHINE}.`)
  if (environment.missing !== undefined) output.hint(`${missingText(environment.missing)}.`)
  output.line()
  if (endpoints.length === 0) output.hint('No endpoints. Deploy the app: drydock deploy')
  else
    output.table(
      ['ENDPOINT', 'KIND', 'ADDRESS'],
      endpoints.map(({ resource, loadBalanced, url }) => [
        resource,
        loadBalanced ? 'load-balanced' : 'queue-based',
        url,
      ]),
    )
  output.line()
  if (releases.length === 0) output.line('No releases.')
  else
    output.table(
      ['RELEASE', 'STATE', 'KIND', 'MADE', 'FINGERPRINT', 'COMMIT', 'REASON'],
      releases.map((release) => [
        String(release.number),
        output.paint(STATE_COLOURS[release.state], release.state),
        KIND_TEXTS[release.kind],
        ago(release.createdAt, now),
        release.fingerprint.slice(0, FINGERPRINT_SHOWN),
        release.git === undefined ? '' : keepStart(gitText(release.git), COMMIT_SHOWN),
        reasonOf(release),
      ]),
    )
  output.line()
  if (variables.length === 0) output.hint('No variables. Set one: drydock env set NAME')
  else
    output.table(
      ['VARIABLE', 'CHANGED'],
      variables.map((variable) => [variable.name, ago(variable.updatedAt, now)]),
    )
}

function reasonOf({ reason, rollbackOf, kind }: ReleaseView): string {
  const back = rollbackOf === undefined || kind !== 'rollback' ? [] : [`back to release ${rollbackOf}`]
  return [...back, ...(reason === undefined ? [] : [reason])].join('; ')
}

const COMMIT_SHOWN = 60
