import type { Database } from 'better-sqlite3'
import type { StoredTargetDeploy, TargetDeployStore, TargetPlace } from '../services/ports/targets.ts'

const COLUMNS = `number, build, artifact, manifest, rollback_of AS rollbackOf, created_at AS createdAt`
const OF_PLACE = `target = @target AND app = @app AND environment = @environment`
const LIST = `SELECT ${COLUMNS} FROM target_deploys WHERE ${OF_PLACE} ORDER BY number DESC`
const ADD = `
  INSERT INTO target_deploys (target, app, environment, number, build, artifact, manifest, rollback_of, created_at)
  SELECT @target, @app, @environment, COALESCE(MAX(number), 0) + 1, @build, @artifact, @manifest, @rollbackOf, @createdAt
  FROM target_deploys WHERE ${OF_PLACE}
  RETURNING number`
const TRIM = `
  DELETE FROM target_deploys
  WHERE ${OF_PLACE} AND number <= (SELECT MAX(number) FROM target_deploys WHERE ${OF_PLACE}) - @keep`
const FORGET_PLACE = `DELETE FROM target_deploys WHERE ${OF_PLACE}`
const FORGET = `DELETE FROM target_deploys WHERE target = ?`

/** Makes the store of deploys to targets. */
export function createTargetDeployStore(db: Database): TargetDeployStore {
  const list = db.prepare<[TargetPlace], StoredTargetDeploy>(LIST)
  const add = db.prepare<[TargetPlace & Omit<StoredTargetDeploy, 'number'>], { readonly number: number }>(ADD)
  const trim = db.prepare<[TargetPlace & { readonly keep: number }]>(TRIM)
  const forgetPlace = db.prepare<[TargetPlace]>(FORGET_PLACE)
  const forget = db.prepare<[string]>(FORGET)
  return {
    list: ({ target, app, environment }) => list.all({ target, app, environment }),
    add({ target, app, environment }, deploy, keep) {
      const added = add.get({ target, app, environment, ...deploy })
      trim.run({ target, app, environment, keep })
      if (added === undefined) throw new Error('the deploy was not recorded')
      return added.number
    },
    forgetPlace: ({ target, app, environment }) => void forgetPlace.run({ target, app, environment }),
    forget: (target) => void forget.run(target),
  }
}
