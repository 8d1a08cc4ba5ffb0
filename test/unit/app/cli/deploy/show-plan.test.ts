import { expect, test } from 'vitest'
import { createOutput } from '../../../../../src-main/app/cli/output.ts'
import type { DeployPlan, PlannedStep } from '../../../../../src-main/contract/app.ts'
import { showPlan } from '../../../../../src-main/features/apps/commands/deploy/show-release.ts'
import { surroundingsOf } from '../support.ts'
import { planOf } from './support.ts'

function setup(env: Record<string, string> = { NO_COLOR: '1' }) {
  const { surroundings, written } = surroundingsOf('/', { env, person: { columns: 120 } })
  return (fields: Partial<DeployPlan>) => {
    showPlan(createOutput(surroundings, false), planOf(fields), 'http://127.0.0.1:8790')
    return written
  }
}

const NEW: Pick<PlannedStep, 'changes' | 'replacesWorkers'> = { changes: [], replacesWorkers: false }

test('a plan is a diff, with what each update changes', () => {
  const shown = setup()({
    steps: [
      { ...NEW, resource: 'greet', action: 'create' },
      {
        resource: 'text-stats',
        action: 'update',
        endpointId: 'text-stats',
        replacesWorkers: true,
        changes: [
          { setting: 'workersMax', from: 3, to: 5 },
          { setting: 'code', from: 'a1b2', to: 'c3d4' },
          { setting: 'env.MODEL', to: '(hidden)' },
          { setting: 'scaler', from: { type: 'QUEUE_DELAY', value: 4 }, to: { type: 'QUEUE_DELAY', value: 2 } },
        ],
      },
      { ...NEW, resource: 'same', action: 'unchanged', endpointId: 'same' },
      { ...NEW, resource: 'old', action: 'delete', endpointId: 'old' },
    ],
  })
  expect(shown).toEqual({
    stdout: `
Plan for demo/production on http://127.0.0.1:8790, in processes:
  + greet       create
  ~ text-stats  update     workersMax 3 -> 5, code a1b2 -> c3d4, env.MODEL none -> (hidden), scaler {"type":"QUEUE_DELAY","value":4} -> {"type":"QUEUE_DELAY","value":2}
  = same        unchanged
  - old         delete
`,
    stderr: '',
  })
})

test('files of the source that differ stand below the endpoints', () => {
  const { stdout } = setup()({
    source: {
      files: [
        { path: 'greet.py', change: 'changed' },
        { path: 'new.py', change: 'added' },
        { path: 'old.py', change: 'removed' },
      ],
      more: 2,
    },
  })
  expect(stdout).toContain('  source:\n  ~ greet.py\n  + new.py\n  - old.py\n  and 2 files more\n')
  expect(setup()({ source: { files: [], more: 0 } }).stdout).toContain('  no source files changed\n')
})

test('a task is named as what it is: nothing is deployed for it', () => {
  const { stdout } = setup()({ steps: [{ ...NEW, resource: 'greet', action: 'create' }], tasks: ['nightly'] })
  expect(stdout).toContain('  + greet    create\n  · nightly  task       each call runs on a worker of its own\n')
})

test('a plan says what it creates, and warns on standard error', () => {
  const { stdout, stderr } = setup()({ makes: ['app', 'environment'], warnings: ['There is no GPU.'] })
  expect(stdout).toContain('  creates app demo and environment production\n')
  expect(stderr).toBe('warning: There is no GPU.\n')
})

test('a terminal shows its colours', () => {
  const { stdout } = setup({})({})
  expect(stdout).toContain('\x1b[32m+ greet  create   \x1b[39m')
})

test('a plan says of which commit the code is, and of which the active one', () => {
  const git = { commit: '1a2b3c4d'.repeat(5), branch: 'main', message: 'Mend it', clean: false }
  const { stdout } = setup()({ git, activeGit: { commit: '0'.repeat(40), message: 'Begin', clean: true } })
  expect(stdout).toContain(`in processes:
  code: main 1a2b3c4d Mend it (with changes that are not committed)
  active now: 00000000 Begin
  + greet  create
`)
})
