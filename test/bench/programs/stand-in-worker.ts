/**
 * A worker that hands its identity to the bench, in the file named by its argument, and lets the bench do its calls.
 */
import { renameSync, writeFileSync } from 'node:fs'

const file = process.argv[2] ?? ''
const { RUNPOD_WEBHOOK_GET_JOB, RUNPOD_WEBHOOK_POST_OUTPUT, RUNPOD_POD_ID, RUNPOD_AI_API_KEY } = process.env
const identity = { RUNPOD_WEBHOOK_GET_JOB, RUNPOD_WEBHOOK_POST_OUTPUT, RUNPOD_POD_ID, RUNPOD_AI_API_KEY }
writeFileSync(`${file}.new`, JSON.stringify(identity))
renameSync(`${file}.new`, file)
setInterval(() => undefined, 60_000)
