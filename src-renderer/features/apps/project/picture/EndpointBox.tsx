import { Cpu, Globe, Layers, MemoryStick } from 'lucide-react'
import type { ManifestResource } from '../../../../../src-main/contract/manifest.ts'
import { hardwareText, workersText } from './describe-endpoint.ts'

/** An endpoint in the picture. `lines`: what it answers, as far as there is room. */
export type EndpointBoxProps = {
  readonly name: string
  readonly resource: ManifestResource
  readonly lines: readonly string[]
}

/** An endpoint in the picture: its name, what it runs on, what it answers. */
export function EndpointBox({ name, resource, lines }: EndpointBoxProps) {
  const Kind = resource.is_load_balanced ? Globe : Layers
  const Hardware = resource.gpuIds ? MemoryStick : Cpu
  return (
    <div className="cursor-pointer">
      <div className="flex h-7 items-center gap-1.5 px-2.5 pt-1.5">
        <Kind aria-hidden className="size-4 shrink-0 text-ink-2" />
        <span className="truncate font-medium">{name}</span>
      </div>
      <div className="flex h-6.5 items-center gap-1.5 px-2.5 text-small text-ink-2">
        <Hardware aria-hidden className="size-4 shrink-0" />
        <span className="truncate">
          {hardwareText(resource)} · {workersText(resource)}
        </span>
      </div>
      {lines.length > 0 && (
        <ul className="border-t border-line px-2.5 py-1 font-mono text-small">
          {lines.map((line) => (
            <li key={line} className="h-4.5 truncate">
              {line}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
