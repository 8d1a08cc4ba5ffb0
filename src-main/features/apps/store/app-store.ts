import type { Database } from 'better-sqlite3'
import type { ReleaseKind, ReleaseState, RunsOn } from '../../../contract/app.ts'
import type { Manifest } from '../../../contract/manifest.ts'
import { queriesOf } from '../../../database/queries.ts'
import { endsRelease, RELEASE_TRANSITIONS, type ReleaseEvent } from '../rules/release-transitions.ts'

export type App = { readonly name: string; readonly createdAt: number }

/** `variables` is their version, 0 without any; `machine` is where workers run, null for this machine. */
export type Environment = {
  readonly id: number
  readonly app: string
  readonly name: string
  readonly variables: number
  readonly machine: string | null
  readonly createdAt: number
}

/** A release; either `artifact` or `folder` is set. Times are wall ms. */
export type Release = {
  readonly id: number
  readonly environmentId: number
  readonly number: number
  readonly state: ReleaseState
  readonly fingerprint: string
  readonly artifact: string | null
  readonly folder: string | null
  readonly manifest: string
  readonly runsOn: RunsOn
  readonly rollbackOf: number | null
  readonly kind: ReleaseKind
  readonly git: string | null
  readonly reason: string | null
  readonly createdAt: number
  readonly activatedAt: number | null
  readonly endedAt: number | null
}

export type NewRelease = Pick<
  Release,
  'environmentId' | 'fingerprint' | 'artifact' | 'folder' | 'manifest' | 'runsOn' | 'rollbackOf' | 'kind' | 'git'
>

const APP = `name, created_at AS createdAt`
const ENVIRONMENT = `id, app, name, variables, machine, created_at AS createdAt`
const RELEASE = `
  id, environment_id AS environmentId, number, state, fingerprint, artifact, folder, manifest, runs_on AS runsOn,
  rollback_of AS rollbackOf, kind, git, reason, created_at AS createdAt, activated_at AS activatedAt, ended_at AS endedAt`

// Covers the releases that pages list, at about 30 kB each.
const MANIFESTS_KEPT = 100

type KeptManifest = Omit<Manifest, 'source_files' | 'image'>

/** Caches parsed manifests, which never change, without their possibly thousands of files and packages. */
function createManifests() {
  const parsed = new Map<number, KeptManifest>()
  return ({ id, manifest }: Pick<Release, 'id' | 'manifest'>): KeptManifest => {
    const known = parsed.get(id)
    if (known !== undefined) return known
    const { source_files: _files, image: _image, ...kept } = JSON.parse(manifest) as Manifest
    const [oldest] = parsed.keys()
    if (parsed.size >= MANIFESTS_KEPT && oldest !== undefined) parsed.delete(oldest)
    parsed.set(id, kept)
    return kept
  }
}

/**
 * `moveRelease` writes all release states; activating one supersedes the active one in the same write, so an
 * environment never has two.
 */
export function createAppStore(db: Database) {
  const query = queriesOf(db)
  const environments = query<[], Environment>(`SELECT ${ENVIRONMENT} FROM environments ORDER BY app, name`).all()
  const environmentsOf = query<[app: string], Environment>(`
    SELECT ${ENVIRONMENT} FROM environments WHERE app = ? ORDER BY name`).all()
  // Of two concurrent releases, the second meets the first's state 'preparing' and is not created.
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
  // States are literals, so that each one's partial index is used.
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
    createApp: query<[name: string, now: number]>(`
      INSERT INTO apps (name, created_at) VALUES (?, ?) ON CONFLICT DO NOTHING`).changed(),
    removeApp: query<[name: string]>(`DELETE FROM apps WHERE name = ?`).run(),
    environments: (app?: string) => (app === undefined ? environments() : environmentsOf(app)),
    environment: query<[app: string, name: string], Environment>(`
      SELECT ${ENVIRONMENT} FROM environments WHERE app = ? AND name = ?`).one(),
    createEnvironment: query<[app: string, name: string, now: number], Environment>(`
      INSERT INTO environments (app, name, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING
      RETURNING ${ENVIRONMENT}`).one(),
    removeEnvironment: query<[id: number]>(`DELETE FROM environments WHERE id = ?`).run(),
    setVariables: query<[{ id: number; version: number }]>(`
      UPDATE environments SET variables = @version WHERE id = @id`).run(),
    setMachine: query<[{ id: number; machine: string | null }]>(`
      UPDATE environments SET machine = @machine WHERE id = @id`).run(),
    createRelease: (release: NewRelease, now: number) => createRelease({ ...release, now }),
    /** The only state change: applies if the table allows it, otherwise returns undefined. */
    moveRelease(id: number, event: ReleaseEvent, reason: string | undefined, now: number) {
      const { from, to } = RELEASE_TRANSITIONS[event]
      const ends = endsRelease(event) ? 1 : 0
      return moveRelease({ id, from: JSON.stringify(from), to, ends, reason: reason ?? null, now })
    },
    release: query<[environmentId: number, number: number], Release>(`
      SELECT ${RELEASE} FROM releases WHERE environment_id = ? AND number = ?`).one(),
    releaseIn: (environmentId: number, state: 'active' | 'preparing') => inState[state](environmentId),
    releases: query<[environmentId: number, limit: number], Release>(`
      SELECT ${RELEASE} FROM releases WHERE environment_id = ? ORDER BY number DESC LIMIT ?`).all(),
    preparing: query<[], Release>(`
      SELECT ${RELEASE} FROM releases WHERE state = 'preparing' ORDER BY environment_id`).all(),
    trimReleases: query<[{ environmentId: number; keep: number }]>(`
      DELETE FROM releases WHERE environment_id = @environmentId AND ended_at IS NOT NULL AND number <= (
        SELECT number FROM releases WHERE environment_id = @environmentId ORDER BY number DESC LIMIT 1 OFFSET @keep)`).run(),
    artifacts: () => new Set(artifacts()),
    manifestOf: createManifests(),
  }
}
