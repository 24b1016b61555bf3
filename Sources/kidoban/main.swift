import Glibc
import Server

exit(await Program.run(arguments: CommandLine.arguments.dropFirst(), environment: ProcessEnvironment.read()))
