/** Preloaded by NODE_OPTIONS: a stop signal reaches this process as soon as it has started another program. */
import childProcess from 'node:child_process'
import { syncBuiltinESMExports } from 'node:module'

const { spawn } = childProcess
childProcess.spawn = (...args) => {
  const child = spawn(...args)
  process.kill(process.pid, 'SIGTERM')
  return child
}
syncBuiltinESMExports()
