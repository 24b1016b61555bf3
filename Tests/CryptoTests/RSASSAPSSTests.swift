import Crypto
import Testing

/// PS256 is only verified, so there is nothing to round trip: the vectors are Wycheproof's (`rsa_pss_2048_sha256_mgf1_32`).
@Suite("RSASSA-PSS, RFC 8017 §8.1")
struct RSASSAPSSTests {
    private static let modulus = bytes(
        hex: "a2b451a07d0aa5f96e455671513550514a8a5b462ebef717094fa1fee82224e637f9746d3f7cafd31878d80325b6ef5a"
            + "1700f65903b469429e89d6eac8845097b5ab393189db92512ed8a7711a1253facd20f79c15e8247f3d3e42e46e48c98e"
            + "254a2fe9765313a03eff8f17e1a029397a1fa26a8dce26f490ed81299615d9814c22da610428e09c7d9658594266f5c0"
            + "21d0fceca08d945a12be82de4d1ece6b4c03145b5d3495d4ed5411eb878daf05fd7afc3e09ada0f1126422f590975a19"
            + "69816f48698bcbba1b4d9cae79d460d8f9f85e7975005d9bc22c4e5ac0f7c1a45d12569a62807d3b9a02e5a530e77306"
            + "6f453d1f5b4c2e9cf7820283f742b9d5")

    static let examples: [(message: String, signature: String)] = [
        (
            "",
            "4f01e0c12b08625ecac89a69231906edf826380f37c959a96690d046316d68ffce9d5c471694fcebfc6b455348646892"
                + "56e4fc81c78e583f675d0c94b449647451e81beff01a11a516d5e5ce3f1a910437cb8a3a5096b19fb15f4524a35b23d8"
                + "9cdba12cf5b71aac1047b28c562df7c5542c34ce23a182cf7e0e231934b17294799d44877a1d68ef1b8f073619b7618e"
                + "6b7c22db20030d98cf591ffc3d4da5f58613ecd5ecfc3b40a1d02f40891ca43695cd4c088b05a8054c89c595a47e2748"
                + "16f35384226f74459ee63e25a1bfc03c360490552ec38343f8ace502f065303b00bc0ec320711b211fde92e57feb9013"
                + "c3609342495ec0d7cabdec21e54acc38"
        ),
        (
            "54657374",
            "401eb03cdb47ca88033e3030f6bdecbac8f5c8fc1dd6a13d23d379ed9a2b309891d13d74fea9d21d159b9e6d8f37efa2"
                + "489962e24555f56dd434ff1d31ce4f9f5abd3f22cbea8b691d6a11e44efb83e2bca155e6a164325e0fde2a8865afd5c9"
                + "f51161a9d615f62af7ec2e31b3e5ab649c164490d31d88cfae35b84aea7925690f929a144b6d2f48e8fb894a52deecd1"
                + "b9a6496990c4ecf1588699a42cacd10c53af350514e4291ea9a058e77f101e32c1c0cefa61d945f7bc931f8bd19e7ba3"
                + "169358a60e5a8b0123bc3199b9fdcafe8e519c41ba675491a27b85e44ef2d77277c10fe107293c8290186913bc9a99b6"
                + "40d8da041b64f31eab1d35920985f4a5"
        ),
    ]

    @Test(arguments: examples) func `the published signatures verify`(message: String, signature: String) throws {
        let key = try PublicKey(rsaModulus: Self.modulus, exponent: [1, 0, 1])
        let message = bytes(hex: message)
        let signature = bytes(hex: signature)
        #expect(key.verify(signature, over: message, algorithm: .ps256))
        #expect(!key.verify(signature, over: message, algorithm: .rs256))
        #expect(!key.verify(signature, over: message + [0], algorithm: .ps256))
        for bit in stride(from: 0, to: 2048, by: 41) {
            #expect(!key.verify(flipping(bit: bit, of: signature), over: message, algorithm: .ps256))
        }
    }
}
