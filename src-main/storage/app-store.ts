import type { Database } from 'better-sqlite3'
import { endsRelease, RELEASE_TRANSITIONS } from '../domain/app/release-transitions.ts'
import type { App, AppStore, Environment, Release } from '../services/ports/apps.ts'

const APP = `name, created_at AS createdAt`
const APPS = `SELECT ${APP} FROM apps ORDER BY name`
const FIND_APP = `SELECT ${APP} FROM apps WHERE name = ?`
const CREATE_APP = `INSERT INTO apps (name, created_at) VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING name`
const REMOVE_APP = `DELETE FROM apps WHERE name = ?`

const ENVIRONMENT = `id, app, name, variables, machine, created_at AS createdAt`
const ENVIRONMENTS = `SELECT ${ENVIRONMENT} FROM environments ORDER BY app, name`
const ENVIRONMENTS_OF = `SELECT ${ENVIRONMENT} FROM environments WHERE app = ? ORDER BY name`
const FIND_ENVIRONMENT = `SELECT ${ENVIRONMENT} FROM environments WHERE app = ? AND name = ?`
const CREATE_ENVIRONMENT = `
  INSERT INTO environments (app, name, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING RETURNING ${ENVIRONMENT}`
const REMOVE_ENVIRONMENT = `DELETE FROM environments WHERE id = ?`
const SET_MACHINE = `UPDATE environments SET machine = @machine WHERE id = @id`
const SET_VARIABLES = `UPDATE environments SET variables = @version WHERE id = @id`

const RELEASE = `
  id, environment_id AS environmentId, number, state, fingerprint, artifact, folder, manifest, runs_on AS runsOn,
  rollback_of AS rollbackOf, kind, git, reason, created_at AS createdAt, activated_at AS activatedAt, ended_at AS endedAt`
// Of two that are made at the same time the second meets the first's state 'preparing', and is not made.
const CREATE_RELEASE = `
  INSERT INTO releases (environment_id, number, state, fingerprint, artifact, folder, manifest, runs_on, rollback_of,
    kind, git, created_at)
  SELECT @environmentId, COALESCE(MAX(number), 0) + 1, 'preparing', @fingerprint, @artifact, @folder, @manifest,
    @runsOn, @rollbackOf, @kind, @git, @now
  FROM releases WHERE environment_id = @environmentId
  ON CONFLICT DO NOTHING RETURNING ${RELEASE}`
const MOVE_RELEASE = `
  UPDATE releases SET state = @to, reason = COALESCE(@reason, reason),
    activated_at = CASE WHEN @to = 'active' THEN @now ELSE activated_at END,
    ended_at = CASE WHEN @ends THEN @now ELSE NULL END
  WHERE id = @id AND state IN (SELECT value FROM json_each(@from))
  RETURNING ${RELEASE}`
const FIND_RELEASE = `SELECT ${RELEASE} FROM releases WHERE environment_id = ? AND number = ?`
// The states are written out: only so the partial index of each is used.
const ACTIVE = `SELECT ${RELEASE} FROM releases WHERE environment_id = ? AND state = 'active'`
const PREPARING = `SELECT ${RELEASE} FROM releases WHERE environment_id = ? AND state = 'preparing'`
const ALL_PREPARING = `SELECT ${RELEASE} FROM releases WHERE state = 'preparing' ORDER BY environment_id`
const RELEASES = `SELECT ${RELEASE} FROM releases WHERE environment_id = ? ORDER BY number DESC LIMIT ?`
const TRIM = `
  DELETE FROM releases WHERE environment_id = @environmentId AND ended_at IS NOT NULL AND number <= (
    SELECT number FROM releases WHERE environment_id = @environmentId ORDER BY number DESC LIMIT 1 OFFSET @keep)`
const ARTIFACTS = `SELECT DISTINCT artifact FROM releases WHERE artifact IS NOT NULL`

/**
 * Makes the store of apps. All states of releases are written by `moveRelease`; whoever activates a release supersedes
 * the active one before it in the same write, as an environment never has two.
 */
export function createAppStore(db: Database): AppStore {
  const apps = db.prepare<[], App>(APPS)
  const app = db.prepare<[string], App>(FIND_APP)
  const createApp = db.prepare<[string, number], { name: string }>(CREATE_APP)
  const removeApp = db.prepare<[string]>(REMOVE_APP)
  const environments = db.prepare<[], Environment>(ENVIRONMENTS)
  const environmentsOf = db.prepare<[string], Environment>(ENVIRONMENTS_OF)
  const environment = db.prepare<[string, string], Environment>(FIND_ENVIRONMENT)
  const createEnvironment = db.prepare<[string, string, number], Environment>(CREATE_ENVIRONMENT)
  const removeEnvironment = db.prepare<[number]>(REMOVE_ENVIRONMENT)
  const setVariables = db.prepare<[{ id: number; version: number }]>(SET_VARIABLES)
  const setMachine = db.prepare<[{ id: number; machine: string | null }]>(SET_MACHINE)
  const createRelease = db.prepare<[object], Release>(CREATE_RELEASE)
  const moveRelease = db.prepare<[object], Release>(MOVE_RELEASE)
  const release = db.prepare<[number, number], Release>(FIND_RELEASE)
  const inState = {
    active: db.prepare<[number], Release>(ACTIVE),
    preparing: db.prepare<[number], Release>(PREPARING),
  }
  const allPreparing = db.prepare<[], Release>(ALL_PREPARING)
  const releases = db.prepare<[number, number], Release>(RELEASES)
  const trim = db.prepare<[{ environmentId: number; keep: number }]>(TRIM)
  const artifacts = db.prepare<[], { artifact: string }>(ARTIFACTS)
  return {
    apps: () => apps.all(),
    app: (name) => app.get(name),
    createApp: (name, now) => createApp.get(name, now) !== undefined,
    removeApp: (name) => void removeApp.run(name),
    environments: (name) => (name === undefined ? environments.all() : environmentsOf.all(name)),
    environment: (name, environmentName) => environment.get(name, environmentName),
    createEnvironment: (name, environmentName, now) => createEnvironment.get(name, environmentName, now),
    removeEnvironment: (id) => void removeEnvironment.run(id),
    setVariables: (id, version) => void setVariables.run({ id, version }),
    setMachine: (id, machine) => void setMachine.run({ id, machine }),
    createRelease: (made, now) => createRelease.get({ ...made, now }),
    moveRelease(id, event, reason, now) {
      const { from, to } = RELEASE_TRANSITIONS[event]
      const ends = endsRelease(event) ? 1 : 0
      return moveRelease.get({ id, from: JSON.stringify(from), to, ends, reason: reason ?? null, now })
    },
    release: (environmentId, number) => release.get(environmentId, number),
    releaseIn: (environmentId, state) => inState[state].get(environmentId),
    releases: (environmentId, limit) => releases.all(environmentId, limit),
    preparing: () => allPreparing.all(),
    trimReleases: (environmentId, keep) => void trim.run({ environmentId, keep }),
    artifacts: () => new Set(artifacts.all().map((row) => row.artifact)),
  }
}
