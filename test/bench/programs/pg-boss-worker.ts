/**
 * A pg-boss worker in its own process that does nothing with its jobs, at its quickest: woken by NOTIFY, many jobs in a
 * batch, the next batch at once after a full one. Argument: port of PostgreSQL.
 */
import { PgBoss } from 'pg-boss'
import { DONE_CHANNEL, pgBossOptions } from '../support/queue-clients.ts'

const boss = new PgBoss({ ...pgBossOptions(Number(process.argv[2])), useListenNotify: true })
boss.on('error', (error) => process.stderr.write(`pg-boss: ${error.message}\n`))
await boss.start()
await boss.createQueue('bench', { notify: true })
const quickest = {
  batchSize: 16,
  localConcurrency: 4,
  burstWhenBatchFull: true,
  pollingIntervalSeconds: 0.5,
  notifyPollingIntervalSeconds: 0.5,
}
await boss.work('bench', { ...quickest, transactional: true }, async (jobs, db) => {
  const ids = jobs.map(({ id }) => id)
  await db.executeSql('SELECT pg_notify($1, id) FROM unnest($2::text[]) AS id', [DONE_CHANNEL, ids])
})
process.once('SIGTERM', () => void boss.stop({ graceful: false }).finally(() => process.exit(0)))
process.send?.('ready')
