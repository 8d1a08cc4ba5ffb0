import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'
import type { StepTimes } from '../ports/image-build.ts'

const MAX_STEPS = 1000
const stored = z.record(z.string(), z.number())

export function openStepTimes(file: string): StepTimes {
  async function read(): Promise<Readonly<Record<string, number>>> {
    try {
      return stored.parse(JSON.parse(await readFile(file, 'utf8')))
    } catch {
      return {}
    }
  }
  return {
    read,
    async add(times) {
      if (Object.keys(times).length === 0) return
      const kept = Object.entries(await read()).filter(([key]) => !(key in times))
      const all = [...kept, ...Object.entries(times)].slice(-MAX_STEPS)
      const partial = `${file}.${process.pid}`
      await mkdir(dirname(file), { recursive: true })
      await writeFile(partial, JSON.stringify(Object.fromEntries(all)))
      await rename(partial, file)
    },
  }
}
