"""Many recordings at a time: pairing of trees and recordings, processes, and runs that can be resumed."""
