/** V8's garbage collector, for memory that grows faster than V8 notices. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type Collect = (
  options: { readonly type: 'major'; readonly flavor: 'last-resort' } | { readonly type: 'minor' },
) => void
let collect: Collect | undefined

/** Collects garbage; a minor collection takes about a millisecond. */
export const collectBy: Collect = (options) => {
  if (collect === undefined) {
    // The documented way to `gc` in a process that was started without the flag; contexts that are there do not get it.
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as Collect
  }
  collect(options)
}
