import type { Command } from 'commander';

/** Adds the arguments, options and action of a subcommand. `root` among the global options is an absolute path. */
export type Subcommand = (command: Command) => void;

/** The subcommands by name. Their files are imported on demand, so that each command starts quickly. */
export type Subcommands = Readonly<Record<string, { summary: string; load: () => Promise<{ default: Subcommand }> }>>;
