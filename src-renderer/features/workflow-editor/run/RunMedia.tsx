import clsx from 'clsx'
import { FileDown } from 'lucide-react'
import { useState } from 'react'
import type { RunResult } from '../../../../src-main/contract/workflows.ts'
import { isShown } from '../../../../src-main/lib/media.ts'
import { assetAddress } from '../widgets/upload-asset.ts'

export type RunMediaProps = {
  readonly result: RunResult
  readonly name: string
  readonly className?: string | undefined
  /** Only a picture of it, without controls, for use inside a link or button. */
  readonly isThumbnail?: boolean
}

export function mediaKind({ mediaType }: Pick<RunResult, 'mediaType'>): 'image' | 'video' | 'audio' | 'file' {
  // The service sends it as a download, like an SVG, which can contain scripts.
  if (!isShown(mediaType)) return 'file'
  const [family] = mediaType.split('/')
  return family === 'video' || family === 'audio' ? family : 'image'
}

export function RunMedia({ result, name, className, isThumbnail = false }: RunMediaProps) {
  const source = assetAddress(result.asset)
  const kind = mediaKind(result)
  if (kind === 'image') return <Picture result={result} name={name} className={className} />
  if (isThumbnail && kind !== 'video') return <FileName result={result} />
  if (kind === 'video')
    return (
      <video
        controls={!isThumbnail}
        muted={isThumbnail}
        preload="metadata"
        src={source}
        aria-label={name}
        className={className}
      />
    )
  // biome-ignore lint/a11y/useMediaCaption: nobody has written captions for what a worker has just made
  if (kind === 'audio') return <audio controls src={source} aria-label={name} className="w-full" />
  return (
    <a href={source} download={result.filename} className="hover:underline">
      <FileName result={result} />
    </a>
  )
}

function FileName({ result }: Pick<RunMediaProps, 'result'>) {
  return (
    <span className="flex min-w-0 items-center gap-1.5 p-2 text-small text-ink-2 [&_svg]:size-4 [&_svg]:shrink-0">
      <FileDown aria-hidden />
      <span className="truncate">{result.filename}</span>
    </span>
  )
}

function Picture({ result, name, className }: Omit<RunMediaProps, 'isThumbnail'>) {
  const [broken, setBroken] = useState(false)
  if (broken) return <p className="p-2 text-small text-ink-2">This picture is no longer available, or is damaged.</p>
  return (
    <img
      src={assetAddress(result.asset)}
      alt={name}
      loading="lazy"
      decoding="async"
      {...(result.width === undefined ? {} : { width: result.width, height: result.height })}
      onError={() => setBroken(true)}
      className={clsx('object-contain', className)}
    />
  )
}
