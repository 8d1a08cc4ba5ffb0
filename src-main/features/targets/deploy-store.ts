import type { Database } from 'better-sqlite3'
import { queriesOf } from '../../database/queries.ts'

export type TargetPlace = { readonly target: string; readonly app: string; readonly environment: string }

/** `manifest` is JSON text; `createdAt` is wall ms. */
export type StoredTargetDeploy = {
  readonly number: number
  readonly build: string
  readonly artifact: string
  readonly manifest: string
  readonly rollbackOf: number | null
  readonly createdAt: number
}

const OF_PLACE = `target = @target AND app = @app AND environment = @environment`

export function createTargetDeployStore(db: Database) {
  const query = queriesOf(db)
  const add = query<[TargetPlace & Omit<StoredTargetDeploy, 'number'>], { readonly number: number }>(`
    INSERT INTO target_deploys (target, app, environment, number, build, artifact, manifest, rollback_of, created_at)
    SELECT @target, @app, @environment, COALESCE(MAX(number), 0) + 1, @build, @artifact, @manifest, @rollbackOf,
      @createdAt
    FROM target_deploys WHERE ${OF_PLACE}
    RETURNING number`).one()
  const trim = query<[TargetPlace & { readonly keep: number }]>(`
    DELETE FROM target_deploys
    WHERE ${OF_PLACE} AND number <= (SELECT MAX(number) FROM target_deploys WHERE ${OF_PLACE}) - @keep`).run()
  return {
    list: query<[TargetPlace], StoredTargetDeploy>(`
      SELECT number, build, artifact, manifest, rollback_of AS rollbackOf, created_at AS createdAt
      FROM target_deploys WHERE ${OF_PLACE} ORDER BY number DESC`).all(),
    /** Adds one under the next number, which it returns; the newest `keep` of the place stay. */
    add(place: TargetPlace, deploy: Omit<StoredTargetDeploy, 'number'>, keep: number) {
      const added = add({ ...place, ...deploy })
      trim({ ...place, keep })
      if (added === undefined) throw new Error('the deploy was not recorded')
      return added.number
    },
    forgetPlace: query<[TargetPlace]>(`DELETE FROM target_deploys WHERE ${OF_PLACE}`).run(),
    forget: query<[target: string]>(`DELETE FROM target_deploys WHERE target = ?`).run(),
  }
}
