/** The port of the catalog: who reads the files that come along. */
import type { CatalogFile } from '../../contract/catalog.ts'

/** A file of the catalog, its handler as an absolute path. */
export type NamedCatalogFile = CatalogFile & { readonly id: string }

/** Reads the catalog of this installation, sorted by id. */
export type ReadCatalog = () => Promise<readonly NamedCatalogFile[]>
