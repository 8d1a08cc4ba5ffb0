import type { Database } from 'better-sqlite3'
import type { ReleaseKind, ReleaseState, RunsOn } from '../contract/app.ts'
import { endsRelease, RELEASE_TRANSITIONS, type ReleaseEvent } from '../domain/app/release-transitions.ts'
import { queriesOf } from './queries.ts'

/** An app as stored. Times are wall ms. */
export type App = { readonly name: string; readonly createdAt: number }

/**
 * An environment as stored. `variables` is the version of its variables, 0 without any; `machine` is where its workers
 * run, null: on this machine.
 */
export type Environment = {
  readonly id: number
  readonly app: string
  readonly name: string
  readonly variables: number
  readonly machine: string | null
  readonly createdAt: number
}

/** A release as stored; either `artifact` or `folder` is set. Times are wall ms. */
export type Release = {
  readonly id: number
  readonly environmentId: number
  readonly number: number
  readonly state: ReleaseState
  readonly fingerprint: string
  readonly artifact: string | null
  readonly folder: string | null
  /** JSON text of the manifest. */
  readonly manifest: string
  readonly runsOn: RunsOn
  readonly rollbackOf: number | null
  readonly kind: ReleaseKind
  /** JSON text of a GitState. */
  readonly git: string | null
  readonly reason: string | null
  readonly createdAt: number
  readonly activatedAt: number | null
  readonly endedAt: number | null
}

/** A new release; the store gives it the next number of its environment. */
export type NewRelease = Pick<
  Release,
  'environmentId' | 'fingerprint' | 'artifact' | 'folder' | 'manifest' | 'runsOn' | 'rollbackOf' | 'kind' | 'git'
>

const APP = `name, created_at AS createdAt`
const ENVIRONMENT = `id, app, name, variables, machine, created_at AS createdAt`
const RELEASE = `
  id, environment_id AS environmentId, number, state, fingerprint, artifact, folder, manifest, runs_on AS runsOn,
  rollback_of AS rollbackOf, kind, git, reason, created_at AS createdAt, activated_at AS activatedAt, ended_at AS endedAt`

/**
 * Makes the store of apps. All states of releases are written by `moveRelease`; whoever activates a release supersedes
 * the active one before it in the same write, as an environment never has two.
 */
export function createAppStore(db: Database) {
  const query = queriesOf(db)
  const environments = query<[], Environment>(`SELECT ${ENVIRONMENT} FROM environments ORDER BY app, name`).all()
  const environmentsOf = query<[app: string], Environment>(`
    SELECT ${ENVIRONMENT} FROM environments WHERE app = ? ORDER BY name`).all()
  // Of two that are made at the same time the second meets the first's state 'preparing', and is not made.
  const createRelease = query<[NewRelease & { readonly now: number }], Release>(`
    INSERT INTO releases (environment_id, number, state, fingerprint, artifact, folder, manifest, runs_on, rollback_of,
      kind, git, created_at)
    SELECT @environmentId, COALESCE(MAX(number), 0) + 1, 'preparing', @fingerprint, @artifact, @folder, @manifest,
      @runsOn, @rollbackOf, @kind, @git, @now
    FROM releases WHERE environment_id = @environmentId
    ON CONFLICT DO NOTHING RETURNING ${RELEASE}`).one()
  const moveRelease = query<[object], Release>(`
    UPDATE releases SET state = @to, reason = COALESCE(@reason, reason),
      activated_at = CASE WHEN @to = 'active' THEN @now ELSE activated_at END,
      ended_at = CASE WHEN @ends THEN @now ELSE NULL END
    WHERE id = @id AND state IN (SELECT value FROM json_each(@from))
    RETURNING ${RELEASE}`).one()
  // The states are written out: only so the partial index of each is used.
  const inState = {
    active: query<[number], Release>(`
      SELECT ${RELEASE} FROM releases WHERE environment_id = ? AND state = 'active'`).one(),
    preparing: query<[number], Release>(`
      SELECT ${RELEASE} FROM releases WHERE environment_id = ? AND state = 'preparing'`).one(),
  }
  const artifacts = query<[], string>(`SELECT DISTINCT artifact FROM releases WHERE artifact IS NOT NULL`).values()
  return {
    apps: query<[], App>(`SELECT ${APP} FROM apps ORDER BY name`).all(),
    app: query<[name: string], App>(`SELECT ${APP} FROM apps WHERE name = ?`).one(),
    /** Returns whether there was none of this name. */
    createApp: query<[name: string, now: number]>(`
      INSERT INTO apps (name, created_at) VALUES (?, ?) ON CONFLICT DO NOTHING`).changed(),
    /** Removes its environments and releases too. */
    removeApp: query<[name: string]>(`DELETE FROM apps WHERE name = ?`).run(),
    environments: (app?: string) => (app === undefined ? environments() : environmentsOf(app)),
    environment: query<[app: string, name: string], Environment>(`
      SELECT ${ENVIRONMENT} FROM environments WHERE app = ? AND name = ?`).one(),
    /** Undefined: it is there already. */
    createEnvironment: query<[app: string, name: string, now: number], Environment>(`
      INSERT INTO environments (app, name, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING
      RETURNING ${ENVIRONMENT}`).one(),
    removeEnvironment: query<[id: number]>(`DELETE FROM environments WHERE id = ?`).run(),
    setVariables: query<[{ id: number; version: number }]>(`
      UPDATE environments SET variables = @version WHERE id = @id`).run(),
    setMachine: query<[{ id: number; machine: string | null }]>(`
      UPDATE environments SET machine = @machine WHERE id = @id`).run(),
    /** Undefined: another one is being prepared. */
    createRelease: (release: NewRelease, now: number) => createRelease({ ...release, now }),
    /** The only way a state changes: moves the release if the table allows it, else undefined. */
    moveRelease(id: number, event: ReleaseEvent, reason: string | undefined, now: number) {
      const { from, to } = RELEASE_TRANSITIONS[event]
      const ends = endsRelease(event) ? 1 : 0
      return moveRelease({ id, from: JSON.stringify(from), to, ends, reason: reason ?? null, now })
    },
    release: query<[environmentId: number, number: number], Release>(`
      SELECT ${RELEASE} FROM releases WHERE environment_id = ? AND number = ?`).one(),
    releaseIn: (environmentId: number, state: 'active' | 'preparing') => inState[state](environmentId),
    /** Newest first. */
    releases: query<[environmentId: number, limit: number], Release>(`
      SELECT ${RELEASE} FROM releases WHERE environment_id = ? ORDER BY number DESC LIMIT ?`).all(),
    /** Of all environments. */
    preparing: query<[], Release>(`
      SELECT ${RELEASE} FROM releases WHERE state = 'preparing' ORDER BY environment_id`).all(),
    /** Deletes ended releases; the newest `keep` of all stay. */
    trimReleases: query<[{ environmentId: number; keep: number }]>(`
      DELETE FROM releases WHERE environment_id = @environmentId AND ended_at IS NOT NULL AND number <= (
        SELECT number FROM releases WHERE environment_id = @environmentId ORDER BY number DESC LIMIT 1 OFFSET @keep)`).run(),
    artifacts: () => new Set(artifacts()),
  }
}
