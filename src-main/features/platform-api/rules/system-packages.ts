import { containerSettings } from '../../../contract/container.ts'
import { isRecord, plainJson } from '../../../lib/json/plain.ts'

export function systemPackagesIn(input: string): readonly string[] {
  const value = plainJson(input)
  const names = isRecord(value) ? value.system_dependencies : undefined
  return Array.isArray(names) ? [...new Set(names.filter(isPackage))] : []
}

const isPackage = (name: unknown): name is string => containerSettings.shape.systemPackages.safeParse([name]).success
